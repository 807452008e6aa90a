//! The graphs with other functions in their nodes, other graphs inside and other limits.

use std::time::Duration;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{
    Compiled, Context, END, GraphOptions, Node, NodeError, START, Snapshot, StateGraph, Step, Timeout,
};
use graphloom_deepsearch::collector::{self, CollectorState, CollectorStateUpdate, SUMMARY};
use graphloom_deepsearch::graph::{EDITOR_TEAM, ENTRY, OUTLINE, SOURCE_TRACER, graph, graph_with};
use graphloom_deepsearch::section::{self, INFO_COLLECTOR, SectionState, SectionStateUpdate};
use graphloom_deepsearch::state::{Locale, Request, SubReport};
use graphloom_deepsearch::{GraphKind, Resources, SearchContext, SearchContextUpdate, nodes, steps, team};

use super::model::{Main, RunResult, follow, loud, quiet, resources};
use super::script::PromptKind;
use super::world::codes;

type Options = GraphOptions<SearchContext, Resources>;

async fn run(graph: Compiled<SearchContext, Resources>, main: &Main) -> RunResult {
    let threads = graph.with_context(resources(main)).with_checkpointer(MemoryCheckpointer::new());
    let request = Request::new("How common are storks?", quiet());
    follow(threads.thread("test").run(SearchContext::update().request(request))).await
}

#[tokio::test(start_paused = true)]
async fn a_node_of_ones_own_takes_part_in_the_run() {
    async fn entry(_: Snapshot<SearchContext>) -> Result<Step<SearchContext>, NodeError> {
        let update = SearchContext::update().language(Locale::English);
        Ok(Step::goto(OUTLINE).with(update.notes(["nobody was asked for the language".to_owned()])))
    }
    let main = Main::default();
    let ended = run(graph_with(GraphKind::Parallel, Options::new().replace(ENTRY, entry)).unwrap(), &main).await;
    let state = ended.state();
    assert!(main.prompts("entry").is_empty(), "the model is not asked");
    assert!(state.notes.iter().any(|note| note == "nobody was asked for the language"), "{:?}", state.notes);
    assert!(state.final_result.response_content.contains("# 2. Beta"), "{:?}", state.final_result);
}

/// A graph that writes a section without any research.
fn from_the_head() -> Compiled<SectionState, Resources> {
    const WRITE: Node = Node::named("write");
    async fn write(state: Snapshot<SectionState>) -> Result<SectionStateUpdate, NodeError> {
        let section = &state.brief.section;
        let mut report = SubReport::default();
        report.section_id.clone_from(&section.id);
        report.section_task.clone_from(&section.title);
        report.content.text = format!("# {}. {}\n\nOut of the head.", section.id, section.title);
        Ok(SectionState::update().sub_report(Some(report)))
    }
    let mut graph = StateGraph::<SectionState, Resources>::new("from_the_head");
    graph.add_node(WRITE, write);
    graph.add_edge(START, WRITE).add_edge(WRITE, END);
    graph.compile().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_graph_of_ones_own_takes_the_place_of_a_section() {
    let team = team::parallel_with(GraphOptions::new().replace_graph(team::SECTION, from_the_head())).unwrap();
    let graph = graph_with(GraphKind::Parallel, Options::new().replace_graph(EDITOR_TEAM, team)).unwrap();
    let drawn = graph.diagram().nodes.iter().find(|node| node.name == "editor_team").unwrap();
    assert!(drawn.replaced && drawn.inner.as_ref().unwrap().nodes.iter().any(|node| node.replaced), "{drawn:?}");

    let main = Main::default();
    let ended = run(graph, &main).await;
    let report = &ended.state().final_result.response_content;
    assert_eq!(report.matches("Out of the head.").count(), 2, "{report}");
    assert_eq!(main.sections.total(), 0, "nothing is researched");
}

#[tokio::test(start_paused = true)]
async fn a_node_deep_inside_is_replaced_through_the_graphs_around_it() {
    async fn summary(state: Snapshot<CollectorState>) -> Result<CollectorStateUpdate, NodeError> {
        Ok(CollectorState::update().info_summary(format!("{} documents were found", state.doc_infos.len())))
    }
    let collector = collector::graph_with(GraphOptions::new().replace(SUMMARY, summary)).unwrap();
    let steps = steps::graph_with(GraphOptions::new().replace_graph(steps::COLLECTOR, collector)).unwrap();
    let section = section::graph_with(GraphOptions::new().replace_graph(INFO_COLLECTOR, steps)).unwrap();
    let team = team::parallel_with(GraphOptions::new().replace_graph(team::SECTION, section)).unwrap();
    let graph = graph_with(GraphKind::Parallel, Options::new().replace_graph(EDITOR_TEAM, team)).unwrap();
    let (main, usual) = (Main::default(), Main::default());
    let ended = run(graph, &main).await;
    assert!(ended.state().final_result.response_content.contains("# 1. "));
    assert!(ended.said.iter().any(|message| message.content.contains("documents were found")), "the summary is told");
    run(self::graph(GraphKind::Parallel), &usual).await;
    assert!(usual.sections.count(PromptKind::Sum) > 0 && main.sections.count(PromptKind::Sum) == 0);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_runs_out_of_its_time_leaves_the_report() {
    async fn slow(state: Snapshot<SearchContext>, cx: Context<Resources>) -> Result<SearchContextUpdate, NodeError> {
        tokio::time::sleep(Duration::from_secs(60)).await;
        nodes::source_tracer(state, cx).await
    }
    let ended = async |options: Options| {
        let graph = graph_with(GraphKind::Parallel, options.replace(SOURCE_TRACER, slow)).unwrap();
        let threads = graph.with_context(resources(&Main::quoting())).with_checkpointer(MemoryCheckpointer::new());
        let mut config = loud();
        config.source_tracer_infer_switch = false;
        let request = Request::new("How common are storks?", config);
        follow(threads.thread("test").run(SearchContext::update().request(request))).await
    };
    let usual = ended(Options::new()).await;
    assert_eq!(codes(&usual.state().notices), Vec::<String>::new());
    let limited = ended(Options::new().timeout(SOURCE_TRACER, Timeout::attempt(Duration::from_secs(10)))).await;
    assert_eq!(codes(&limited.state().notices), ["212106e"]);
    assert!(limited.state().final_result.response_content.contains("# 2. Beta"));
}

#[test]
fn a_node_of_the_other_graph_is_no_node_of_this_one() {
    let options = Options::new().timeout(EDITOR_TEAM, Timeout::attempt(Duration::from_secs(1)));
    assert!(graph_with(GraphKind::Parallel, options.clone()).is_ok());
    let error = graph_with(GraphKind::Dependency, options).unwrap_err().to_string();
    let expected =
        "the option `timeout` names `editor_team`, which is no node; nodes: `dependency_editor_team`, `end`, ";
    assert!(error.contains(expected), "{error}");
}
