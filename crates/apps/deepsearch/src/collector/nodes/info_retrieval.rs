//! Node `collector_info_retrieval` of the collector.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;
use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::collector::evaluation::evaluate;
use crate::collector::retrieval::{RetrievedDocuments, distinct, retrieve};
use crate::collector::{CollectorState, CollectorStateUpdate};
use crate::resources::Resources;
use crate::state::RetrievalQuery;
use crate::status::{Notice, StatusCode};

/// Searches the queries of a round and scores what is new. In: `search_queries`. Out: `history_queries`, `doc_infos`,
/// `new_doc_infos_current_loop`, `research_loop_count`. Failure: engines that fail are warnings (211304, 211305), a
/// model that fails is a note and the query itself is searched; a page that cannot be read is a note and its excerpt is
/// used; documents that no model scored stay unscored.
///
/// Source: openJiuwen DeepSearch, `InfoRetrievalNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn info_retrieval(
    state: Snapshot<CollectorState>,
    cx: Context<Resources>,
) -> Result<CollectorStateUpdate, NodeError> {
    let request = &*state.request;
    let asked: Vec<String> = state.history_queries.iter().map(|query| query.query.clone()).collect();
    let given = state.search_queries.iter().map(|query| query.query.clone());
    let queries = distinct(given, &asked, request.limits.queries());
    let work = queries.iter().enumerate().map(|(at, query)| retrieve(&cx, request, at, query));
    let answers: Vec<RetrievedDocuments> = try_join_all(work).await?;

    let mut known = state.known_ids();
    let (mut new, mut history, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut unread: BTreeSet<String> = BTreeSet::new();
    let mut failures: BTreeMap<(StatusCode, String, String), usize> = BTreeMap::new();
    for (query, gathered) in queries.into_iter().zip(answers) {
        let first: Vec<_> = gathered.documents.into_iter().filter(|found| known.insert(found.id.clone())).collect();
        let description =
            state.search_queries.iter().find(|each| each.query.trim() == query).map(|each| each.description.clone());
        let doc_infos = first.iter().map(|found| found.id.clone()).collect();
        history.push(RetrievalQuery { query, description: description.unwrap_or_default(), doc_infos });
        new.extend(first);
        notes.extend(gathered.notes);
        unread.extend(gathered.unread);
        for report in gathered.reports {
            let Some(fault) = report.outcome.fault() else { continue };
            let code = if fault.is_rate_limit() { StatusCode::SearchRateLimit } else { StatusCode::Search };
            *failures.entry((code, report.engine, fault.to_string())).or_default() += 1;
        }
    }
    let notices = failures.into_iter().map(|((code, engine, reason), times)| {
        let times = if times > 1 { format!(" ({times} times)") } else { String::new() };
        let notice = Notice::warning(code, format!("`{engine}`{times} {reason}"));
        if request.section_id.is_empty() { notice } else { notice.in_section(&request.section_id) }
    });
    let notices: Vec<Notice> = notices.collect();
    notes.extend(unread.into_iter().map(|page| format!("step `{}`: {page}", request.step.id)));
    notes.extend(evaluate(&cx, request, &mut new).await?);
    Ok(CollectorState::update()
        .history_queries(history)
        .new_doc_infos_current_loop(new.iter().map(|found| found.id.clone()).collect::<Vec<_>>())
        .doc_infos(new)
        .search_queries(Vec::new())
        .research_loop_count(state.research_loop_count + 1)
        .notices(notices)
        .notes(notes))
}
