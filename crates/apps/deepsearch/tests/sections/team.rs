//! The teams: sections at the same time, sections that build on one another, what is missing.

use std::collections::BTreeSet;
use std::time::Duration;

use graphloom_core_graph::State;
use graphloom_deepsearch::config::TeamOrder;
use graphloom_deepsearch::state::Outline;
use graphloom_deepsearch::team::{Job, TeamState, Work, dependency, parallel};
use graphloom_llm::scripted::Reply;

use super::script::{PromptKind, Script, outage, plan};
use super::world::{Library, RunResult, codes, config, outline, resources, run, web};

fn input(outline: Outline, change: impl Fn(&mut graphloom_deepsearch::Config)) -> <TeamState as State>::Update {
    let mut config = config();
    config.workflow_max_plan_executed_num = 1;
    change(&mut config);
    TeamState::update().outline(outline).query("How common are storks?".to_owned()).config(config)
}

/// A model that plans one step for each section, and cannot plan for those in `broken`.
fn script(broken: &'static [&'static str]) -> Script {
    Script::default().on(PromptKind::Plan, move |request| {
        let (section, _) = request.plan();
        if broken.contains(&section.as_str()) {
            return Err(outage());
        }
        Ok(Reply::from(plan(&[(&format!("only of {section}"), &[])])))
    })
}

fn sections(state: &TeamState) -> Vec<String> {
    state.sub_reports().iter().map(|report| report.section_id.clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn sections_run_at_the_same_time_up_to_the_limit_and_merge_in_order() {
    for (limit, seconds) in [(1, 50), (2, 30), (5, 10), (9, 10)] {
        let mut library = Library::named("tavily");
        library.delay = Duration::from_secs(10);
        let began = tokio::time::Instant::now();
        let input = input(outline(&[("1", &[]), ("2", &[]), ("3", &[]), ("4", &[]), ("5", &[])]), |config| {
            config.editor_team_max_concurrency_num = limit;
        });
        let RunResult { state, said } = run(parallel(), resources(&script(&[]), web(&library)), input).await;
        assert_eq!(began.elapsed(), Duration::from_secs(seconds), "{limit} at a time");
        assert_eq!(sections(&state), ["1", "2", "3", "4", "5"]);
        let ends: Vec<_> = said.iter().filter(|message| message.content == "SECTION END").collect();
        let ended: BTreeSet<_> = ends.iter().map(|message| message.place.section_idx.as_str()).collect();
        assert_eq!((ends.len(), ended.len()), (5, 5));
        assert!(said.iter().all(|message| !message.place.section_idx.is_empty()), "whatever is said names its section");
        assert_eq!(state.planned_outline().sections[4].plans[0].steps[0].title, "only of 5");
    }
}

#[tokio::test]
async fn missing_sections_are_tolerated_and_no_section_at_all_is_fatal() {
    let three = || outline(&[("1", &[]), ("2", &["1"]), ("3", &["2"])]);
    for order in [None, Some(TeamOrder::Layered), Some(TeamOrder::Dataflow)] {
        let team = || match order {
            None => parallel(),
            Some(_) => dependency(),
        };
        let set = |config: &mut graphloom_deepsearch::Config| {
            config.dependency_editor_team_order = order.unwrap_or_default();
        };
        let library = Library::named("tavily");
        let state = run(team(), resources(&script(&["2"]), web(&library)), input(three(), set)).await.state;
        assert_eq!(sections(&state), ["1", "3"], "{order:?}");
        assert!(codes(&state.notices).contains(&"211801e".to_owned()), "{order:?}");
        assert!(state.notes.iter().any(|note| note.contains("section 2 (Chapter 2) is missing")), "{order:?}");

        let state = run(team(), resources(&script(&["1", "2", "3"]), web(&library)), input(three(), set)).await.state;
        assert_eq!(codes(&state.notices).last().map(String::as_str), Some("211502f"), "{order:?}");
        for (empty, code) in [(Outline::default(), "211500f"), (outline(&[]), "211501f")] {
            let state = run(team(), resources(&script(&[]), web(&library)), input(empty, set)).await.state;
            assert_eq!(codes(&state.notices), [code], "{order:?}");
        }
    }
}

#[tokio::test]
async fn sections_that_wait_for_one_another_are_an_error_and_no_endless_loop() {
    let circle = || outline(&[("1", &[]), ("2", &["3"]), ("3", &["2"])]);
    for order in [TeamOrder::Layered, TeamOrder::Dataflow] {
        let library = Library::named("tavily");
        let script = script(&[]);
        let input = input(circle(), |config| config.dependency_editor_team_order = order);
        let state = run(dependency(), resources(&script, web(&library)), input).await.state;
        let told: Vec<String> = state.notices.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["[211501]Invalid dependency graph: the sections 2, 3 wait for one another"]);
        assert_eq!(script.total(), 0, "{order:?}: nothing is paid for");
    }
}

#[tokio::test]
async fn both_orders_give_the_same_sections() {
    let diamond = || outline(&[("1", &[]), ("2", &["1"]), ("3", &["1"]), ("4", &["2", "3"])]);
    let mut results = Vec::new();
    for order in [TeamOrder::Layered, TeamOrder::Dataflow] {
        let script = script(&[]);
        let input = input(diamond(), |config| config.dependency_editor_team_order = order);
        let state = run(dependency(), resources(&script, web(&Library::named("tavily"))), input).await.state;
        let at = |work, section: &str| {
            let job = Job { work, section: section.to_owned() };
            state.finished.iter().position(|done| *done == job).unwrap()
        };
        for (child, parents) in [("2", vec!["1"]), ("3", vec!["1"]), ("4", vec!["2", "3"])] {
            for parent in parents {
                for work in [Work::Reason, Work::Write] {
                    assert!(at(work, parent) < at(work, child), "{order:?}: {parent} before {child}");
                }
            }
            assert!(at(Work::Reason, child) < at(Work::Write, child));
        }
        let plans = script.prompts(PromptKind::Plan);
        let of_four = plans.iter().find(|prompt| prompt.contains("for section 4,")).unwrap();
        assert!(of_four.contains("step 2-1-1") && of_four.contains("step 3-1-1") && !of_four.contains("step 1-1-1"));
        let texts = script.prompts(PromptKind::Write);
        let of_four = texts.iter().find(|prompt| prompt.contains("Section 4:")).unwrap();
        assert!(of_four.contains("What section 2 says.") && of_four.contains("What section 3 says."));
        results.push(
            state
                .sub_reports()
                .into_iter()
                .map(|mut report| {
                    for found in &mut report.content.classified_content {
                        found.fetched_at = 0;
                    }
                    report
                })
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0].len(), 4);
}
