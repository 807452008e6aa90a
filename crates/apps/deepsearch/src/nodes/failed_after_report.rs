//! The error handler of nodes that follow the report: the failure becomes a notice, and the run goes on with the report
//! unchanged. It covers errors that no model caused, such as a prompt that cannot be filled in.
//! Source: openJiuwen DeepSearch, `VLMChartGeneratorNode`; its errors 212106 and 212300 let a run go on, too.

use graphloom_core_graph::{Context, Failure, Node, NodeError, Snapshot, Step};

use crate::resources::Resources;
use crate::state::SearchContext;
use crate::status::{Notice, StatusCode};
use crate::trace::unchecked;

/// Goes on with `next` and a notice of the failure. Marks of programs are not for readers, so a report whose citations were
/// not checked gets plain links.
pub(crate) async fn continue_after_failure(
    (code, next): (StatusCode, Node),
    failure: Failure,
    state: Snapshot<SearchContext>,
    _cx: Context<Resources>,
) -> Result<Step<SearchContext>, NodeError> {
    let notice = Notice::exception(code, format!("`{}` failed: {}", failure.node, failure.message));
    let mut update = SearchContext::update().notices([notice]);
    if let (StatusCode::SourceTrace, Some(report)) = (code, state.report.as_deref()) {
        let mut result = state.final_result.clone();
        result.response_content = unchecked(report, state.language);
        result.citation_messages.msg = "checking failed".to_owned();
        update = update.final_result(result);
    }
    Ok(Step::goto(next).with(update))
}
