//! Action `execute` of a search task: rounds of queries and observations, then one result with marks.

use std::collections::BTreeSet;

use graphloom_agents::{AgentError, Parsed};
use graphloom_llm::parse::{read_value, tags};
use graphloom_retrieval::extract::{best_sentences, clean};
use graphloom_retrieval::{Evidence, RetrievalError, Search, in_turns};
use graphloom_state_machine::TaskAction;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask::{agent, seeded, text, tolerated, value};
use super::{Outcome, Setup, StageError, TaskContext};
use crate::cite::mark;
use crate::context::PromptArgs;
use crate::task::ActionResult;

/// The name of the agent in records of results.
const AGENT: &str = "execute/search";
/// How many sentences of a result a search without a model's notes keeps.
const SENTENCES_PER_RESULT: usize = 3;

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

/// Searches in rounds. Without a search engine nothing is asked and the result says so.
pub(super) async fn search(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let args = context.args(setup)?;
    let Some(engine) = setup.search.as_deref() else {
        let mut outcome = finish(context, String::new(), Vec::new());
        outcome.notes.push(format!("task `{}` searched nothing: there is nothing to search in this run", context.key));
        return Ok(outcome);
    };
    if agent(setup, "execute", &args.task_type)?.is_constrained() {
        search_by_schema(setup, context, &args, engine).await
    } else {
        search_in_turns(setup, context, &args, engine).await
    }
}

async fn search_in_turns(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
    engine: &dyn Search,
) -> Result<Outcome, StageError> {
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
            results: shown(&last),
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
        notes.push(format!("task `{}` found nothing with `{}`", context.key, engine.engines().join("`, `")));
        String::new()
    } else if rules.merge {
        let merge = agent(setup, "search_merge", &args.task_type)?;
        let prompt = SearchArgs {
            args,
            turns: &[],
            results: shown(&found),
            observations: observations.clone(),
            turn: 0,
            max_turns,
            queries_per_turn: rules.queries_per_turn,
        };
        let answer = text(&merge, &prompt, seeded(setup, &context, "merge")).await?;
        notes.extend(tolerated(context.key, &answer.exchange));
        exchanges.push(answer.exchange);
        answer.value
    } else {
        [observations, quoted(&args.goal, &found)].join("\n\n").trim().to_string()
    };
    let mut outcome = finish(context, result, found);
    outcome.exchanges = exchanges;
    outcome.notes = notes;
    Ok(outcome)
}

#[derive(Deserialize)]
struct Queries {
    queries: Vec<String>,
}

/// One round: the model's queries and the goal itself. The result is made of the sentences that fit the goal best.
async fn search_by_schema(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
    engine: &dyn Search,
) -> Result<Outcome, StageError> {
    let rules = &setup.profile.settings.search;
    let schema = json!({
        "x-guidance": { "whitespace_flexible": false },
        "type": "object",
        "properties": {
            "queries": {
                "type": "array",
                "items": { "type": "string", "minLength": 6, "maxLength": 60 },
                "minItems": 1,
                "maxItems": 2,
            },
        },
        "required": ["queries"],
        "additionalProperties": false,
    });
    let agent = agent(setup, "execute", &args.task_type)?;
    let answer = value::<Queries>(&agent, args, seeded(setup, &context, "search"), "queries", schema).await?;
    // The goals themselves ask better than a small model does; its queries add to them.
    let mut queries = vec![format!("{} {}", args.goal, args.to_run_root_question), args.to_run_root_question.clone()];
    queries.extend(answer.value.queries.into_iter().filter(|query| !query.trim().is_empty()));
    let Gathered { evidence: found, notes } =
        gather(engine, &queries, rules.results_per_turn, &BTreeSet::new()).await?;
    let mut outcome = finish(context, quoted(&args.goal, &found), found);
    outcome.notes.extend(notes.into_iter().map(|note| format!("task `{}`: {note}", context.key)));
    if outcome.evidence.is_empty() {
        outcome.notes.push(format!("task `{}` found nothing with `{}`", context.key, engine.engines().join("`, `")));
    }
    outcome.exchanges.push(answer.exchange);
    Ok(outcome)
}

/// What several queries found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Gathered {
    /// The evidence, each piece once.
    pub evidence: Vec<Evidence>,
    /// Engines that failed, and what a person should know of single results.
    pub notes: Vec<String>,
}

/// Asks each query and takes results in turns, best first, each piece of evidence once and none that is known.
///
/// # Errors
/// When no engine answers a query.
pub async fn gather(
    engine: &dyn Search,
    queries: &[String],
    limit: usize,
    known: &BTreeSet<String>,
) -> Result<Gathered, RetrievalError> {
    let mut gathered = Gathered::default();
    let mut lists = Vec::with_capacity(queries.len());
    for query in queries {
        let answer = engine.search(query, limit).await.or_error()?;
        for remark in answer.remarks() {
            if !gathered.notes.contains(&remark) {
                gathered.notes.push(remark);
            }
        }
        lists.push(answer.hits);
    }
    let mut seen = known.clone();
    let fresh = in_turns(lists).map(|hit| hit.evidence).filter(|evidence| seen.insert(evidence.id.clone()));
    gathered.evidence = fresh.take(limit).collect();
    Ok(gathered)
}

fn shown(found: &[Evidence]) -> Vec<Shown<'_>> {
    found.iter().map(|e| Shown { id: &e.id, origin: format!("{}: {}", e.place(), e.title), text: &e.text }).collect()
}

/// The sentences that fit the goal, each with its mark.
pub(super) fn quoted(goal: &str, found: &[Evidence]) -> String {
    let mut lines = Vec::new();
    for evidence in found {
        let mut ranges: Vec<_> = best_sentences(goal, &evidence.text, SENTENCES_PER_RESULT)
            .into_iter()
            .map(|sentence| sentence.range)
            .collect();
        ranges.sort_by_key(|range| range.start);
        lines.extend(
            ranges.into_iter().map(|range| format!("- {} {}", clean(&evidence.text[range]), mark(&evidence.id))),
        );
    }
    lines.join("\n")
}

fn read_queries(written: &str) -> Option<Vec<String>> {
    let schema = json!({ "type": "array", "items": { "type": "string" } });
    let parsed = read_value(written, Some(&schema)).ok()?;
    let Value::Array(list) = parsed.value else { return None };
    let queries = list.iter().filter_map(Value::as_str).map(str::trim).filter(|query| !query.is_empty());
    Some(queries.map(str::to_string).collect())
}

fn finish(context: TaskContext<'_>, text: String, found: Vec<Evidence>) -> Outcome {
    let mut result = ActionResult::new(AGENT, text);
    result.evidence = found.iter().map(|evidence| evidence.id.clone()).collect();
    let mut outcome = context.result(TaskAction::Execute, result);
    outcome.evidence = found;
    outcome
}
