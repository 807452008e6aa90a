//! Draws the report's charts (F19, F20). In: report, config, language. Out: report with placeholders, chart_messages.
//! Failure: appended (212411), and the run goes on. `vlm_chart_generator_enable` draws with the critic's rounds, of
//! which 0 is none; `visualization_enable` alone draws without a critic. Rounds without a model that reads images skip
//! the node with a warning.
//! Source: seed, `VLMChartGeneratorNode`; study, sections 3.1 and 3.5.

use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};

use crate::charts::{ChartRules, chart_report};
use crate::resources::{Resources, Slot};
use crate::state::{SearchContext, SearchContextUpdate};
use crate::status::{Notice, StatusCode};

pub(crate) async fn vlm_chart_generator(
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<SearchContextUpdate, NodeError> {
    let config = &state.config;
    let with_critic = config.vlm_chart_generator_enable;
    let Some(report) = state.report.as_deref().filter(|_| with_critic || config.visualization_enable) else {
        return Ok(SearchContext::update());
    };
    let rounds = if with_critic { config.vlm_chart_generator_max_iterations } else { 0 };
    if rounds > 0 && !cx.resources().model(Slot::VlmChartGenerating).capabilities().images {
        let message = "no charts were drawn: the model of `vlm_chart_generating` reads no images; name one that does, or \
                       set `vlm_chart_generator_max_iterations` to 0 to draw without a critic";
        let notice = Notice::warning(StatusCode::Chart, message);
        return Ok(SearchContext::update().notices([notice]).notes([message.to_owned()]));
    }
    let rules = ChartRules::new(state.language, config.report_max_generate_retry_num).rounds(rounds);
    let charted = chart_report(&cx, report, rules).await?;
    let update =
        SearchContext::update().notices(charted.notices).notes(charted.notes).spent(cx.resources().ledger.spent());
    if charted.charts.is_empty() {
        return Ok(update);
    }
    let mut report = report.clone();
    report.report_content.clone_from(&charted.text);
    report.merged_trace_source_datas = charted.traces;
    let mut result = state.final_result.clone();
    result.response_content = charted.text;
    result.chart_messages = charted.charts;
    Ok(update.report(Some(Shared::new(report))).final_result(result))
}
