//! Node `search`: information is gathered.

use graphloom_agents::{EntryKind, Strategy, ToolOutput};
use graphloom_core_graph::{Context, NodeError, Snapshot};
use graphloom_llm::ToolCall;
use graphloom_vault::NotePath;
use serde_json::{Value, json};

use super::visit::{Report, Visit, visit};
use crate::ObsiusError;
use crate::index::{IndexError, SearchQuery};
use crate::overlay_tools::OverlayTools;
use crate::phase::{Decision, Phase};
use crate::resources::Resources;
use crate::search::{SearchCollector, strategies};
use crate::state::{
    ExecutedAction, Metrics, SearchStrategy, SubtaskKind, TaskPlan, WorkflowState, WorkflowStateUpdate,
};
use crate::subject::wants_all;

/// How many hits a call of the tool gives.
const PAGE: usize = 50;

/// State in: the plan and earlier findings. State out: the findings of every strategy that the plan asks for. A search
/// that finds nothing is a finding; a search tool that fails is an observation.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn search(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Search, state, cx, async |visit| work(&visit).await).await
}

async fn work(visit: &Visit) -> Result<Report, NodeError> {
    let state = &visit.state;
    let config = &state.session.config;
    let plan: TaskPlan = state.task_plan.clone().unwrap_or_default();
    let workspace = OverlayTools::new(visit.resources(), &state.changes).map_err(ObsiusError::from)?;
    let notes = workspace.notes();
    // Who asks for all notes gets more than the best, up to a bound that is told.
    let all = wants_all(&plan.original_request);
    let limit = if all { config.max_all_results } else { config.max_search_results };
    // A small model adds to every note that was found.
    let changes = visit.setup.strategy("execute") == Strategy::Guided && plan.has(SubtaskKind::Update);
    let mut gathering = SearchCollector::new(&notes, &plan, state.findings.clone(), limit, visit.iteration.number)
        .taking_all(all)
        .leaving_out(visit.resources().index.settings())
        .changing_what_is_found(changes);
    let mut actions: Vec<ExecutedAction> = Vec::new();
    let mut repeats = state.repeats.clone();
    for strategy in strategies(&plan, &state.findings) {
        match strategy {
            SearchStrategy::Tag => gathering.by_tag(),
            SearchStrategy::Links => gathering.by_links(),
            SearchStrategy::Recent => gathering.by_time(),
            SearchStrategy::Keyword if all && gathering.is_everything() => gathering.take_all(),
            SearchStrategy::Keyword | SearchStrategy::Content => {
                let Some(query) = gathering.query(strategy, &plan.original_request) else { continue };
                let id = format!("{}.{}", visit.iteration.number, strategy_name(strategy));
                let arguments = json!({ "query": query, "limit": limit.min(PAGE), "exact": true });
                let call = ToolCall { id: id.clone(), name: "search_notes".to_owned(), arguments };
                let outcome = workspace.tools().call(&call, &mut repeats).await;
                actions.push(ExecutedAction::of(&id, "", visit.iteration.number, &outcome));
                let mut hits = outcome.result.as_ref().map(paths_in).unwrap_or_default();
                let mut more = outcome.result.as_ref().is_ok_and(|output| output.data["more"] == true);
                if more && limit > hits.len() {
                    let asked = SearchQuery::new(query.as_str(), limit);
                    let page = visit.resources().index.page(&notes, &asked).map_err(index_failed)?;
                    hits = page.found.into_iter().map(|found| found.path).collect();
                    more = page.more;
                }
                gathering.take_hits(strategy, &query, &hits, more);
            }
        }
    }
    let findings = gathering.finish();
    let lines: Vec<String> = findings
        .searches
        .iter()
        .filter(|search| search.iteration == visit.iteration.number)
        .map(|search| {
            let more = if search.more { ", and more fit" } else { "" };
            let name = strategy_name(search.strategy);
            format!("{name} `{}`: {} notes, {} new{more}", search.query, search.hits, search.new)
        })
        .collect();
    let mut context = state.vault_context.clone();
    context.active_files = findings.notes.iter().map(|found| found.path.clone()).collect();
    let metrics = Metrics::of_actions(&actions);
    let mut seen = lines.join("; ");
    if !findings.gaps.is_empty() {
        seen.push_str(&format!("; no note mentions {}", findings.gaps.join(", ")));
    }
    let mut notices: Vec<String> = Vec::new();
    if !findings.nothing_about.is_empty() {
        notices.push(format!("no note is about `{}`, by its title, its tags or a phrase", findings.nothing_about));
        seen.push_str(&format!("; no note is about {}", findings.nothing_about));
    }
    if findings.is_capped() {
        let parameter = if all { "max_all_results" } else { "max_search_results" };
        notices.push(format!("more notes fit than the {limit} that are taken; `--set {parameter}=…` takes more"));
    }
    let mut report = Report::new(Decision::Gathered, format!("{} notes found", findings.notes.len()));
    report.data = json!({ "searches": lines, "folders": findings.folders, "themes": findings.themes });
    report.update = WorkflowState::update()
        .vault_context(context)
        .findings(findings)
        .executed_actions(actions)
        .repeats(repeats)
        .execution_metrics(metrics)
        .notes(notices)
        .working_memory(vec![visit.entry(EntryKind::Observation, seen)]);
    Ok(report)
}

fn index_failed(error: IndexError) -> NodeError {
    NodeError::terminal(ObsiusError::from(error))
}

fn strategy_name(strategy: SearchStrategy) -> &'static str {
    match strategy {
        SearchStrategy::Keyword => "keyword",
        SearchStrategy::Content => "content",
        SearchStrategy::Tag => "tag",
        SearchStrategy::Recent => "recent",
        SearchStrategy::Links => "links",
    }
}

/// The paths in a tool's data, in its order.
fn paths_in(output: &ToolOutput) -> Vec<NotePath> {
    fn collect(value: &Value, paths: &mut Vec<NotePath>) {
        match value {
            Value::Object(members) => {
                if let Some(path) =
                    members.get("path").and_then(Value::as_str).and_then(|text| NotePath::of_file(text).ok())
                    && !paths.contains(&path)
                {
                    paths.push(path);
                }
                members.values().for_each(|member| collect(member, paths));
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, paths)),
            _ => {}
        }
    }
    let mut paths = Vec::new();
    collect(&output.data, &mut paths);
    paths
}
