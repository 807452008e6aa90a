//! Node `literature_review`.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use super::{finished, stray, think, think_all};
use crate::actions::{Action, Call};
use crate::decide::Finish;
use crate::nodes::router::call_of;
use crate::research::{Findings, Record, find, gathered, is_same};
use crate::resources::Resources;
use crate::session::{Artifact, Review};
use crate::small::SmallQuestions;
use crate::state::Conversation;

/// A search and the ids of what it found.
#[derive(Clone, Debug)]
struct Search {
    query: String,
    records: Vec<String>,
}

/// Searches the sources and reads what is found: map, then reduce. In: queries. Out: the review, as a new version, also
/// when nothing was found, so that the sources' answers can be told.
///
/// # Errors
/// No model that answers, a call that is not the node's, and what the graph runtime itself reports.
pub async fn literature_review(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::LiteratureReview(parameters)) = call_of(&state.turn) else {
        return Err(stray("literature_review"));
    };
    let limits = cx.resources().limits;
    let mut found: Vec<(String, Findings)> = Vec::new();
    for (at, query) in parameters.queries.iter().enumerate() {
        think(&cx, format!("searching: {query}")).await;
        let resources = cx.resources();
        let search =
            async { Ok::<Findings, NodeError>(find(&*resources.search, query, limits.records_per_query).await) };
        let findings: Findings = cx.once(&format!("search/{at}"), search).await?;
        for report in &findings.reports {
            think(&cx, report.to_string()).await;
        }
        found.push((query.clone(), findings));
    }
    let Findings { mut records, reports: sources, .. } = gathered(found.iter().map(|(_, findings)| findings.clone()));
    let searches: Vec<Search> = found.into_iter().map(|(query, found)| by_search(query, &found, &records)).collect();
    let mut session = state.session.clone();
    let topic = session.topic.clone().unwrap_or_default();
    let round = session.journey.len();
    let mut notes = Vec::new();
    let findings = match cx.resources().strategy("extract")? {
        Strategy::Free => {
            records.truncate(limits.records);
            free::read(&cx, &topic, &records).await?
        }
        Strategy::Guided => {
            let small = SmallQuestions::new(&cx, "extract", round);
            records.truncate(limits.records.min(small.rules().records));
            guided::read(&small, &topic, &records, &searches, &mut notes).await?
        }
    };
    let none = records.is_empty();
    // A source that was searched in vain counts as an answer, one that failed does not.
    let unanswered = !sources.iter().any(|report| report.outcome.answered());
    let version = session.artifacts.review.as_ref().map_or(1, |review| review.version + 1);
    think_all(&cx, &notes).await;
    let review = Review { records, findings, themes: Vec::new(), sources, notes };
    session.action_result = Some(format!("{} records", review.records.len()));
    session.artifacts.review = Some(Artifact::new(version, Action::LiteratureReview, cx.now(), review));
    if none {
        let finish = if unanswered { Finish::SourcesFailed } else { Finish::NoRecords };
        return Ok(finished(session, &state.turn, finish));
    }
    let themes = match cx.resources().strategy("themes")? {
        Strategy::Free => free::themes(&cx, &session).await?,
        Strategy::Guided => guided::themes(&session, &searches),
    };
    think(&cx, format!("{} themes", themes.len())).await;
    if let Some(review) = &mut session.artifacts.review {
        review.value.themes = themes;
    }
    Ok(finished(session, &state.turn, Finish::Ok))
}

/// Which of the records a search found.
fn by_search(query: String, found: &Findings, records: &[Record]) -> Search {
    let own = records.iter().filter(|record| found.records.iter().any(|one| is_same(one, record)));
    Search { query, records: own.map(|record| record.id.clone()).collect() }
}
