//! A part paragraph by paragraph: the model chooses sentences of the sources, the program puts the citations.
//!
//! A small model invents facts and changes figures, so it never writes what is cited; see
//! [`graphloom_retrieval::answer`] for which sentences it may choose among.

use std::collections::{BTreeMap, BTreeSet};

use graphloom_agents::guided::{Chosen, Offer, Quoting, choice_schema, lettered};
use graphloom_agents::{Agent, AgentError, Exchange, Parsed};
use graphloom_retrieval::Evidence;
use graphloom_retrieval::answer::{Quotable, Request};
use graphloom_state_machine::{NodeKey, TaskAction};
use serde::Serialize;

use super::super::ask::{agent, seeded, value};
use super::super::part::Part;
use super::super::repetition::without_repetition;
use super::super::{Outcome, Setup, StageError, TaskContext, gather};
use super::AGENT;
use super::heading::Heading;
use super::quotable::quotable;
use crate::cite::{cited_ids, mark, without_marks};
use crate::context::{PromptArgs, article_of, article_text, outer_dependencies, same_graph_dependencies};
use crate::length::count_words;
use crate::task::{ActionResult, Node};

/// A part without a stated length gets this many words.
const USUAL_WORDS: u32 = 150;
/// The most paragraphs of one part.
const MOST_PARAGRAPHS: usize = 12;
/// How much of the text before a free paragraph is shown, in words.
const WORDS_BEFORE: usize = 60;

#[derive(Serialize)]
struct CitedArgs<'a> {
    #[serde(flatten)]
    args: &'a PromptArgs,
    offers: &'a [Offer],
}

#[derive(Serialize)]
struct FreeArgs<'a> {
    #[serde(flatten)]
    args: &'a PromptArgs,
    before: String,
}

/// Writes a part of sentences that the model chooses, or in its own words where nothing can be searched.
pub(super) async fn write_in_paragraphs(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
    agent: &Agent<'_>,
    heading: Heading,
) -> Result<Outcome, StageError> {
    let node = context.node()?;
    let small = &setup.profile.settings.small;
    let target = node.payload.words().unwrap_or(USUAL_WORDS) as usize;
    let before = article_text(&article_of(context.tree, &NodeKey::root()));
    let question = format!("{} {}", args.goal, args.to_run_root_question);
    let (mut gathered, mut remarks) = (evidence_for(context), Vec::new());
    if gathered.is_empty()
        && let Some(engine) = setup.search.as_deref()
    {
        let queries = [question.clone()];
        let limit = setup.profile.settings.search.results_per_turn;
        let found = gather(engine, &queries, limit, &BTreeSet::new()).await?;
        gathered = found.evidence;
        remarks = found.notes;
    }
    let mut declined: Vec<Quotable> = Vec::new();
    let mut second_round = false;
    let mut quoting = Quoting::new(usize::MAX);
    let request = Request::of(&args.to_run_root_question).about(&args.goal);
    let mut pool = quotable(&request, &args.goal, &gathered, &before);
    let mut paragraphs: Vec<String> = Vec::new();
    let mut exchanges = Vec::new();
    let mut notes: Vec<String> = remarks.into_iter().map(|note| format!("task `{}`: {note}", context.key)).collect();
    let written = |paragraphs: &[String]| paragraphs.iter().map(|p| count_words(&without_marks(p))).sum::<usize>();
    while !pool.is_empty() && paragraphs.len() < MOST_PARAGRAPHS && written(&paragraphs) * 10 < target * 9 {
        let count = pool.len().min(small.sentences_per_paragraph.clamp(1, 26));
        let sentences: Vec<Quotable> = pool.drain(..count).collect();
        let offered =
            lettered(sentences.iter().map(|sentence| {
                Offer::new(&sentence.evidence, &sentence.text).followed_by(sentence.followers.clone())
            }));
        let action = format!("write/{}", paragraphs.len() + 1);
        let ask = async {
            let prompt = CitedArgs { args, offers: &offered };
            let ask = seeded(setup, &context, &action);
            match value::<Chosen>(agent, &prompt, ask, "choice", choice_schema(&offered)).await {
                Ok(answer) => {
                    exchanges.push(answer.exchange);
                    Ok(Ok(answer.value.facts))
                }
                Err(StageError::Agent(AgentError::Unusable { exchange, .. })) => {
                    exchanges.push(*exchange);
                    Ok(Err(()))
                }
                Err(error) => Err(error),
            }
        };
        let made = quoting.paragraph(&offered, mark, ask).await?;
        if made.failure.is_some() {
            let key = context.key;
            notes.push(format!("task `{key}`: no choice among the sentences could be read; the best are quoted"));
        }
        let paragraph = made.text;
        // What was passed over is offered once more when everything else is used up.
        let passed_over =
            sentences.into_iter().filter(|sentence| !paragraph.contains(sentence.text.trim_end_matches('.')));
        declined.extend(passed_over);
        if pool.is_empty() && !second_round {
            second_round = true;
            pool = std::mem::take(&mut declined);
        }
        paragraphs.push(paragraph);
    }
    let mut uncited = None;
    if paragraphs.is_empty() && setup.search.is_some() {
        uncited = Some("no sentence of the sources answers this part, so it is left out".to_string());
        gathered.clear();
    } else if paragraphs.is_empty() {
        let (free, exchange) = free_paragraph(setup, context, args, &before).await?;
        exchanges.push(exchange);
        let part = Part::of(context.key, &free);
        notes.extend(part.notes);
        paragraphs.push(part.text);
    }
    let made = written(&paragraphs);
    if made * 2 < target {
        notes.push(format!("task `{}`: the sources gave {made} of {target} words", context.key));
    }
    let mut text = paragraphs.join("\n\n");
    if let Some(heading) = heading.text(context, &gathered, &text, &before) {
        text = format!("{heading}\n\n{text}");
    }
    let mut result = ActionResult::new(AGENT, text);
    result.evidence = cited_ids(&result.text);
    notes.extend(uncited.iter().map(|note| format!("task `{}`: {note}", context.key)));
    result.notes.extend(uncited);
    let mut outcome = context.result(TaskAction::Execute, result);
    (outcome.evidence, outcome.exchanges, outcome.notes) = (gathered, exchanges, notes);
    Ok(outcome)
}

/// A paragraph without sources, in the model's own words, ended where it begins to repeat itself.
async fn free_paragraph(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
    before: &str,
) -> Result<(String, Exchange), StageError> {
    let agent = agent(setup, "free", &args.task_type)?;
    let words: Vec<&str> = before.split_whitespace().collect();
    let before = words[words.len().saturating_sub(WORDS_BEFORE)..].join(" ");
    let mut ask = seeded(setup, &context, "free");
    ask.accept_incomplete = true;
    ask.max_tokens = Some(setup.profile.settings.small.paragraph_tokens);
    let prompt = FreeArgs { args, before };
    let answer = agent.ask(&prompt, ask, |reply| {
        let text = without_repetition(reply.text.trim());
        if text.is_empty() { Err("the reply is empty".to_string()) } else { Ok(Parsed::new(text)) }
    });
    let answer = answer.await?;
    Ok((answer.value, answer.exchange))
}

/// The evidence that the results this task builds on rest on, nearest first.
fn evidence_for(context: TaskContext<'_>) -> Vec<Evidence> {
    let mut groups = outer_dependencies(context.tree, context.key, usize::MAX);
    groups.push(same_graph_dependencies(context.tree, context.key));
    let nodes = groups.iter().rev().flat_map(|p| p.groups.iter().rev()).flat_map(|(_, nodes)| nodes.iter().copied());
    let mut seen = BTreeMap::new();
    let mut found = Vec::new();
    for id in nodes.flat_map(evidence_ids) {
        if let Some(evidence) = context.evidence.get(&id)
            && seen.insert(id, ()).is_none()
        {
            found.push(evidence.clone());
        }
    }
    found
}

fn evidence_ids(node: &Node) -> Vec<String> {
    let results = &node.payload.results;
    let result = results.get(&TaskAction::FinalAggregate).or_else(|| results.get(&TaskAction::Execute));
    result.map(|result| result.evidence.clone()).unwrap_or_default()
}
