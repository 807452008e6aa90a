//! Searching by a small model: its queries join the words of the goals.

use std::collections::BTreeSet;

use graphloom_agents::guided::object_schema;
use graphloom_retrieval::Search;
use serde::Deserialize;
use serde_json::json;

use super::super::ask::{agent, seeded, value};
use super::super::gather::fitting_sentences;
use super::super::{Gathered, Outcome, Setup, StageError, TaskContext, gather};
use super::{finish, found_nothing};

#[derive(Deserialize)]
struct Queries {
    queries: Vec<String>,
}

/// One round: the model's queries and the goal itself. The result is made of the sentences that fit the goal best.
pub(super) async fn search(
    setup: &Setup,
    context: TaskContext<'_>,
    engine: &dyn Search,
) -> Result<Outcome, StageError> {
    let args = &context.args(setup)?;
    let rules = &setup.profile.settings.search;
    let schema = object_schema(&json!({
        "queries": {
            "type": "array",
            "items": { "type": "string", "minLength": 6, "maxLength": 60 },
            "minItems": 1,
            "maxItems": 2,
        },
    }));
    let agent = agent(setup, "execute", &args.task_type)?;
    let answer = value::<Queries>(&agent, args, seeded(setup, &context, "search"), "queries", schema).await?;
    // The goals themselves ask better than a small model does; its queries add to them.
    let mut queries = vec![format!("{} {}", args.goal, args.to_run_root_question), args.to_run_root_question.clone()];
    queries.extend(answer.value.queries.into_iter().filter(|query| !query.trim().is_empty()));
    let Gathered { evidence: found, notes } =
        gather(engine, &queries, rules.results_per_turn, &BTreeSet::new()).await?;
    let mut outcome = finish(context, fitting_sentences(&args.goal, &found), found);
    outcome.notes.extend(notes.into_iter().map(|note| format!("task `{}`: {note}", context.key)));
    if outcome.evidence.is_empty() {
        outcome.notes.push(found_nothing(context, engine));
    }
    outcome.exchanges.push(answer.exchange);
    Ok(outcome)
}
