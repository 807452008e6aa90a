//! Node `generate_queries`.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use super::{finished, stray, think, think_all};
use crate::actions::{Action, Call};
use crate::decide::Finish;
use crate::nodes::router::call_of;
use crate::resources::Resources;
use crate::session::{Artifact, SearchQuery};
use crate::state::{Conversation, Turn};

/// The most queries that are kept.
const MOST: usize = 5;

/// Makes search queries. In: topic, feedback, existing. Out: the queries, as a new version.
///
/// # Errors
/// No model that answers, a call that is not the node's, and what the graph runtime itself reports.
pub async fn generate_queries(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::GenerateQueries(parameters)) = call_of(&state.turn) else { return Err(stray("generate_queries")) };
    let mut notes = Vec::new();
    let made = match cx.resources().strategy("queries")? {
        Strategy::Free => free::make(&cx, parameters).await?,
        Strategy::Guided => guided::make(&cx, parameters, state.session.journey.len(), &mut notes).await?,
    };
    if parameters.unexplained {
        notes.push(
            "You gave no reason, so these queries are others and answer nothing; `reject: why` says what to ask instead."
                .to_owned(),
        );
    }
    think_all(&cx, &notes).await;
    let mut queries: Vec<SearchQuery> = Vec::new();
    for mut query in made {
        query.text = query.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let known = queries.iter().any(|other| other.text.eq_ignore_ascii_case(&query.text))
            || parameters.existing.iter().any(|other| other.eq_ignore_ascii_case(&query.text));
        if !query.text.is_empty() && !known && queries.len() < MOST {
            queries.push(query);
        }
    }
    if queries.is_empty() {
        return Err(NodeError::retryable("the model made no query that is new"));
    }
    think(&cx, format!("{} queries made", queries.len())).await;
    let mut session = state.session.clone();
    let version = session.artifacts.queries.as_ref().map_or(1, |queries| queries.version + 1);
    session.action_result = Some(format!("{} queries", queries.len()));
    session.artifacts.queries = Some(Artifact::new(version, Action::GenerateQueries, cx.now(), queries));
    let turn = Turn { notes: [state.turn.notes.clone(), notes].concat(), ..state.turn.clone() };
    Ok(finished(session, &turn, Finish::Ok))
}
