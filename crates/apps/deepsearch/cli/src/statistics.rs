//! What a run took, for those who turn it on: `stats_info_node_duration`, `stats_info_llm`, `stats_info_search`.

use std::collections::BTreeMap;
use std::sync::Arc;

use graphloom_cli::Progress;
use graphloom_core_graph::{Event, EventKind};
use graphloom_deepsearch::SearchContext;
use graphloom_llm::layers::Meter;

/// How long the nodes of a run took, those of its subgraphs too.
#[derive(Default)]
pub(crate) struct Durations {
    begun: BTreeMap<Arc<str>, u64>,
    nodes: BTreeMap<String, (u32, u64)>,
}

impl Durations {
    pub(crate) fn observe(&mut self, event: &Event) {
        let Some(task) = &event.task else { return };
        match &event.kind {
            EventKind::TaskStarted { .. } => {
                self.begun.insert(Arc::clone(task), event.time);
            }
            EventKind::Update { node, .. } | EventKind::TaskFailed { node, .. } => {
                if let Some(begun) = self.begun.remove(task) {
                    let (times, millis) = self.nodes.entry(node.clone()).or_default();
                    *times += 1;
                    *millis += event.time.saturating_sub(begun);
                }
            }
            _ => {}
        }
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        self.nodes.iter().map(|(node, (times, millis))| {
            format!("node `{node}`: {times} times, {:.1} s in all", *millis as f64 / 1000.0)
        })
    }
}

/// Tells what the configuration asks for.
pub(crate) fn tell(progress: &Progress, state: &SearchContext, durations: &Durations, meter: &Meter) {
    let config = &state.config;
    if config.stats_info_node_duration {
        durations.lines().for_each(|line| progress.note(line));
    }
    if config.stats_info_llm {
        for (model, totals) in meter.totals() {
            let (calls, failed) = (totals.calls, totals.failed);
            let tokens = (totals.usage.input, totals.usage.output);
            let cost = totals.cost_text().map(|cost| format!(", {cost}")).unwrap_or_default();
            progress.note(format!(
                "model `{model}`: {calls} calls ({failed} failed), {} tokens in, {} out{cost}",
                tokens.0, tokens.1
            ));
        }
    }
    if config.stats_info_search {
        let sections = state.current_outline.iter().flat_map(|outline| &outline.sections);
        for section in sections {
            let steps = section.plans.iter().flat_map(|plan| &plan.steps);
            let queries: Vec<_> = steps.flat_map(|step| &step.retrieval_queries).collect();
            let documents: usize = queries.iter().map(|query| query.doc_infos.len()).sum();
            progress.note(format!("section {}: {} queries, {documents} documents", section.id, queries.len()));
        }
    }
}
