//! Action `execute` of a write task.

use std::collections::{BTreeMap, BTreeSet};

use graphloom_agents::{Agent, AgentError, Parsed};
use graphloom_retrieval::Evidence;
use graphloom_retrieval::answer::Request;
use graphloom_state_machine::TaskAction;
use serde::Serialize;

use super::ask::{agent, seeded, text, tolerated, value};
use super::cited::{Choice, Offer, Quotable, choice_schema, compose, offers, quotable};
use super::lookup::look_up;
use super::repeat::without_repetition;
use super::shorten::measured;
use super::{Outcome, Setup, StageError, TaskContext, gather};
use crate::cite::{cited_ids, without_marks};
use crate::context::{
    PromptArgs, article_of, article_text, outer_precedents, same_graph_precedents, share_of, subject,
};
use crate::length::count_words;
use crate::task::{ActionResult, Node};

const AGENT: &str = "execute/write";
/// A part without a stated length gets this many words from a small model.
const USUAL_WORDS: u32 = 150;
/// The most paragraphs of one part by a small model.
const MOST_PARAGRAPHS: usize = 12;
/// How much of the text before a free paragraph is shown, in words.
const WORDS_BEFORE: usize = 60;

/// Writes a part: in one call, or paragraph by paragraph with a model that answers inside a grammar.
pub(super) async fn write(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let mut args = context.args(setup)?;
    let agent = agent(setup, "execute", &args.task_type)?;
    if agent.is_constrained() {
        return write_in_paragraphs(setup, context, &args, &agent).await;
    }
    if setup.profile.settings.length.keep {
        args.share = share_of(context.tree, context.key);
    }
    let found = look_up(setup, context, &mut args).await?;
    let answer = text(&agent, &args, seeded(setup, &context, "write")).await?;
    let mut notes = tolerated(context.key, &answer.exchange);
    if !notes.is_empty() && cited_ids(&answer.value).is_empty() && setup.search.is_some() {
        // A model that cannot follow the prompt is led like the small ones: it chooses among sentences of the sources.
        match write_in_paragraphs(setup, context, &args, &agent).await {
            Ok(mut outcome) if !outcome.evidence.is_empty() => {
                notes.push(format!("task `{}`: sentences of the sources took the place of that reply", context.key));
                outcome.notes.splice(0..0, notes);
                outcome.exchanges.insert(0, answer.exchange);
                return Ok(outcome);
            }
            Ok(_) | Err(StageError::Agent(AgentError::Unusable { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    let mut exchanges = vec![answer.exchange];
    let mut result = ActionResult::new(AGENT, answer.value);
    if let Some(share) = args.share {
        let measured = measured(setup, context, &args, share, result.text).await;
        (result.text, result.length) = (measured.text, Some(measured.length));
        exchanges.extend(measured.exchange);
        notes.extend(measured.note);
    }
    result.evidence = cited_ids(&result.text);
    let mut outcome = context.result(TaskAction::Execute, result);
    (outcome.notes, outcome.exchanges) = (notes, exchanges);
    if let Some(found) = found {
        let count = found.evidence.len();
        outcome
            .notes
            .push(format!("task `{}`: without a plan the goal was searched once; passages: {count}", context.key));
        outcome.notes.extend(found.notes.into_iter().map(|note| format!("task `{}`: {note}", context.key)));
        outcome.evidence = found.evidence;
    }
    outcome.notes.extend(args.cuts.iter().map(|cut| format!("task `{}`: {cut}", context.key)));
    Ok(outcome)
}

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

async fn write_in_paragraphs(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
    agent: &Agent<'_>,
) -> Result<Outcome, StageError> {
    let node = context.node()?;
    let small = &setup.profile.settings.small;
    let target = node.payload.words().unwrap_or(USUAL_WORDS) as usize;
    let before = article_text(&article_of(context.tree, &graphloom_state_machine::NodeKey::root()));
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
    let mut silent = false;
    let request = Request::of(&args.to_run_root_question).about(&args.goal);
    let mut pool = quotable(&request, &args.goal, &gathered, &before);
    let mut paragraphs: Vec<String> = Vec::new();
    let mut exchanges = Vec::new();
    let mut notes: Vec<String> = remarks.into_iter().map(|note| format!("task `{}`: {note}", context.key)).collect();
    let written = |paragraphs: &[String]| paragraphs.iter().map(|p| count_words(&without_marks(p))).sum::<usize>();
    while !pool.is_empty() && paragraphs.len() < MOST_PARAGRAPHS && written(&paragraphs) * 10 < target * 9 {
        let count = pool.len().min(small.sentences_per_paragraph.clamp(1, 26));
        let sentences: Vec<Quotable> = pool.drain(..count).collect();
        let offered = offers(&sentences);
        let action = format!("write/{}", paragraphs.len() + 1);
        let prompt = CitedArgs { args, offers: &offered };
        let all = || Choice { facts: offered.iter().map(|offer| offer.label.clone()).collect() };
        let asked = match silent {
            true => all(),
            false => {
                let ask = seeded(setup, &context, &action);
                match value::<Choice>(agent, &prompt, ask, "choice", choice_schema(&offered)).await {
                    Ok(answer) => {
                        exchanges.push(answer.exchange);
                        answer.value
                    }
                    // Asking for the next paragraph would end alike, so the best sentences stand without a choice.
                    Err(StageError::Agent(AgentError::Unusable { exchange, .. })) => {
                        exchanges.push(*exchange);
                        silent = true;
                        let key = context.key;
                        notes.push(format!(
                            "task `{key}`: no choice among the sentences could be read; the best are quoted"
                        ));
                        all()
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        let paragraph = compose(&offered, &asked.facts);
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
        paragraphs.push(free);
    }
    let made = written(&paragraphs);
    if made * 2 < target {
        notes.push(format!("task `{}`: the sources gave {made} of {target} words", context.key));
    }
    let mut text = paragraphs.join("\n\n");
    let heading = match agent.is_constrained() && setup.search.is_some() {
        true => source_heading(context, &gathered, &text, &before),
        false => goal_heading(context),
    };
    if let Some(heading) = heading {
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
) -> Result<(String, graphloom_agents::Exchange), StageError> {
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
    let mut groups = outer_precedents(context.tree, context.key, usize::MAX);
    groups.push(same_graph_precedents(context.tree, context.key));
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

/// The heading of a part directly inside the root: its goal.
fn goal_heading(context: TaskContext<'_>) -> Option<String> {
    let part = subject(context.tree, context.key).filter(|part| part.layer() == 1)?;
    let goal = part.payload.info.goal.trim().trim_end_matches(['.', ':', ';']);
    let goal = goal.strip_prefix("Write about ").or_else(|| goal.strip_prefix("Write ")).unwrap_or(goal);
    let mut letters = goal.chars();
    let first = letters.next()?;
    Some(format!("## {}{}", first.to_uppercase(), letters.as_str()))
}

/// The heading of a part directly inside the root that a small model made: that of the first source it quotes whose heading
/// the text does not have yet. A small model's own goals promise what the quotations do not say.
fn source_heading(context: TaskContext<'_>, gathered: &[Evidence], text: &str, before: &str) -> Option<String> {
    subject(context.tree, context.key).filter(|part| part.layer() == 1)?;
    let asked = &context.tree.root()?.payload.info.goal;
    let cited = cited_ids(text);
    let quoted = cited.iter().filter_map(|id| gathered.iter().find(|evidence| evidence.id == *id));
    let named = |evidence: &Evidence| {
        let name = evidence.heading.last().unwrap_or(&evidence.title);
        // Many documents number their headings.
        name.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ')).trim().to_owned()
    };
    let is_new = |name: &String| {
        !name.is_empty() && name != asked && !before.lines().any(|line| line.trim_start_matches('#').trim() == name)
    };
    quoted.map(named).find(is_new).map(|name| format!("## {name}"))
}
