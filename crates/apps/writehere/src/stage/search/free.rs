//! Searching by a model that asks, observes and asks again.

use std::collections::BTreeSet;

use graphloom_agents::{AgentError, Parsed};
use graphloom_llm::parse::{read_value, tags};
use graphloom_retrieval::{Evidence, Search};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::ask::{agent, reading_notes, seeded, text};
use super::super::gather::fitting_sentences;
use super::super::{Outcome, Setup, StageError, TaskContext, gather};
use super::{finish, found_nothing};
use crate::context::PromptArgs;

/// One round as the next prompt shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Turn {
    observation: String,
    missing: String,
    think: String,
    queries: String,
    #[serde(skip)]
    asked: Vec<String>,
}

/// A result as prompts show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Shown<'e> {
    id: &'e str,
    origin: String,
    text: &'e str,
}

#[derive(Serialize)]
struct SearchArgs<'a> {
    #[serde(flatten)]
    args: &'a PromptArgs,
    turns: &'a [Turn],
    results: Vec<Shown<'a>>,
    observations: String,
    turn: usize,
    max_turns: usize,
    queries_per_turn: usize,
}

/// Searches in rounds of queries and observations.
pub(super) async fn search(
    setup: &Setup,
    context: TaskContext<'_>,
    engine: &dyn Search,
) -> Result<Outcome, StageError> {
    let args = &context.args(setup)?;
    let rules = &setup.profile.settings.search;
    let agent_ = agent(setup, "execute", &args.task_type)?;
    let spec = agent_.spec();
    let mut turns: Vec<Turn> = Vec::new();
    let mut found: Vec<Evidence> = Vec::new();
    let mut last: Vec<Evidence> = Vec::new();
    let mut exchanges = Vec::new();
    let mut notes = Vec::new();
    let max_turns = rules.max_turns.max(1);
    // One more call than searches, so that the last search is observed as well.
    for number in 1..=max_turns + 1 {
        if number > 1 && number > max_turns && last.is_empty() {
            break;
        }
        let prompt = SearchArgs {
            args,
            turns: &turns,
            results: shown_results(&last),
            observations: String::new(),
            turn: number,
            max_turns,
            queries_per_turn: rules.queries_per_turn,
        };
        let asked = agent_
            .ask(&prompt, seeded(setup, &context, &format!("search/{number}")), |reply| {
                let part = |name: &str| tags::find(reply.text, spec.tag(name)).unwrap_or_default().trim().to_string();
                let tag = spec.tag("queries");
                let written = tags::find(reply.text, tag).ok_or_else(|| format!("there is no `<{tag}>`"))?;
                let asked = read_queries(&written).ok_or_else(|| format!("`<{tag}>` holds no list of queries"))?;
                Ok(Parsed::new(Turn {
                    observation: part("observation"),
                    missing: part("missing"),
                    think: part("think"),
                    queries: json!(asked).to_string(),
                    asked,
                }))
            })
            .await;
        let mut turn = match asked {
            Ok(answer) => {
                exchanges.push(answer.exchange);
                answer.value
            }
            Err(AgentError::Unusable { exchange, problem, .. }) => {
                exchanges.push(*exchange);
                // The goals ask as well as such a model would; after a first search there is something to go on with.
                let asked = if number == 1 { vec![args.goal.clone()] } else { Vec::new() };
                let instead = if number == 1 { "the goal itself was asked" } else { "the search ended" };
                notes.push(format!("task `{}`: no queries could be read ({problem}); {instead}", context.key));
                Turn { queries: json!(asked).to_string(), asked, ..Turn::default() }
            }
            Err(error) => return Err(error.into()),
        };
        turn.asked.truncate(rules.queries_per_turn.max(1));
        let queries = std::mem::take(&mut turn.asked);
        turns.push(turn);
        if queries.is_empty() || number > max_turns {
            break;
        }
        let known: BTreeSet<String> = found.iter().map(|evidence| evidence.id.clone()).collect();
        let gathered = gather(engine, &queries, rules.results_per_turn, &known).await?;
        notes.extend(gathered.notes.into_iter().map(|note| format!("task `{}`: {note}", context.key)));
        last = gathered.evidence;
        found.extend(last.iter().cloned());
    }

    let observations: Vec<&str> =
        turns.iter().map(|turn| turn.observation.as_str()).filter(|o| !o.is_empty()).collect();
    let observations = observations.join("\n\n");
    let result = if found.is_empty() {
        notes.push(found_nothing(context, engine));
        String::new()
    } else if rules.merge {
        let merge = agent(setup, "search_merge", &args.task_type)?;
        let prompt = SearchArgs {
            args,
            turns: &[],
            results: shown_results(&found),
            observations: observations.clone(),
            turn: 0,
            max_turns,
            queries_per_turn: rules.queries_per_turn,
        };
        let answer = text(&merge, &prompt, seeded(setup, &context, "merge")).await?;
        notes.extend(reading_notes(context.key, &answer.exchange));
        exchanges.push(answer.exchange);
        answer.value
    } else {
        [observations, fitting_sentences(&args.goal, &found)].join("\n\n").trim().to_string()
    };
    let mut outcome = finish(context, result, found);
    outcome.exchanges = exchanges;
    outcome.notes = notes;
    Ok(outcome)
}

fn shown_results(found: &[Evidence]) -> Vec<Shown<'_>> {
    found.iter().map(|e| Shown { id: &e.id, origin: format!("{}: {}", e.place(), e.title), text: &e.text }).collect()
}

fn read_queries(written: &str) -> Option<Vec<String>> {
    let schema = json!({ "type": "array", "items": { "type": "string" } });
    let parsed = read_value(written, Some(&schema)).ok()?;
    let Value::Array(list) = parsed.value else { return None };
    let queries = list.iter().filter_map(Value::as_str).map(str::trim).filter(|query| !query.is_empty());
    Some(queries.map(str::to_string).collect())
}
