//! The limit of steps: `workflow_recursion_limit`.

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Outcome, RunError};
use graphloom_deepsearch::graph::{graph, policy};
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::{Config, SearchContext};

use super::model::{Main, Runs, follow, quiet, resources};
use super::script::{PromptKind, plan};
use super::world::codes;

fn limited(limit: u32) -> Config {
    let mut config = quiet();
    config.workflow_recursion_limit = limit;
    config
}

fn runs(main: &Main, config: &Config) -> Runs {
    let graph = graph(config.execution_method.into());
    graph.with_context(resources(main)).with_checkpointer(MemoryCheckpointer::new())
}

#[tokio::test(start_paused = true)]
async fn the_main_graph_stops_at_its_limit_and_goes_on_with_a_higher_one() {
    let main = Main::default();
    let runs = runs(&main, &limited(3));
    let thread = runs.thread("test").policy(policy(&limited(3)));
    let request = Request::new("How common are storks?", limited(3));
    let ended = follow(thread.run(SearchContext::update().request(request))).await;
    assert!(matches!(ended.outcome, Err(RunError::StepLimit { limit: 3, .. })), "{:?}", ended.outcome);
    let last: Vec<&str> = ended.said.iter().rev().take(2).map(|message| message.content.as_str()).collect();
    assert_eq!(last[0], "ALL END");
    assert!(last[1].starts_with("[212415]after 3 steps `editor_team` would be next"), "{}", last[1]);

    let ended = follow(runs.thread("test").policy(policy(&limited(30))).continue_()).await;
    assert!(!ended.state().final_result.response_content.is_empty());
    assert_eq!(main.prompts("outline").len(), 1, "nothing is done twice");
}

#[tokio::test(start_paused = true)]
async fn a_section_that_never_ends_is_stopped_and_named() {
    let mut main = Main::default();
    main.sections = main.sections.on(PromptKind::Plan, |request| {
        let (section, number) = request.plan();
        Ok(plan(&[(&format!("step {number} of {section}"), &[])]))
    });
    let mut config = limited(12);
    config.workflow_max_plan_executed_num = 99;
    let runs = runs(&main, &config);
    let request = Request::new("How common are storks?", config.clone());
    let thread = runs.thread("test").policy(policy(&config));
    let ended = follow(thread.run(SearchContext::update().request(request))).await;
    let Ok(Outcome::Done(state)) = &ended.outcome else { panic!("{:?}", ended.outcome) };
    assert_eq!(codes(&state.notices), ["212415e", "212415e", "211502f"]);
    let told = state.result().exception_info;
    assert!(told.contains("`Alpha` took 12 steps; raise `workflow_recursion_limit`"), "{told}");
}
