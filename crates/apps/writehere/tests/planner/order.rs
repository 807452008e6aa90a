//! The order of actions and the numbers of calls of the recorded runs.

use graphloom_state_machine::{NodeType, TreeStatus};
use graphloom_writehere::{Mode, Schedule, TaskType, Writing};

use super::script::{Part, actions, calls, finished, search, think, write};

/// The recorded report: three searches that need nothing, thinking on them, and one part on the thinking.
fn report() -> Vec<Part> {
    vec![search(&[]), search(&[]), search(&[]), think(&[0, 1, 2], vec![]), write(&[3], vec![])]
}

/// A story of the recorded size: designs of which two have parts of their own, and four sections with designs and parts.
fn story() -> Vec<Part> {
    let section = |designs: usize, parts: usize| {
        let thinks = (0..designs).map(|_| think(&[], vec![]));
        thinks.chain((0..parts).map(|_| write(&[0], vec![]))).collect::<Vec<_>>()
    };
    let nested = || vec![think(&[], vec![]), think(&[], vec![])];
    vec![
        think(&[], nested()),
        think(&[], nested()),
        think(&[], vec![]),
        write(&[0, 1, 2], section(2, 2)),
        write(&[2], section(2, 2)),
        write(&[2], section(2, 2)),
        write(&[2], section(3, 3)),
    ]
}

fn counted(writing: &Writing, agent: &str) -> u64 {
    calls(writing).iter().filter(|(name, _)| name.starts_with(agent)).map(|(_, count)| count).sum()
}

#[tokio::test]
async fn a_report_takes_the_recorded_actions_in_the_recorded_order() {
    let ran = finished(Mode::Report, Schedule::Sequential, &report()).await;
    let expected = "root plan, root prior_reflect, \
        1 plan, 1 prior_reflect, 2 plan, 2 prior_reflect, 3 plan, 3 prior_reflect, \
        1.0 execute, 1.0 execute_post_reflect, 1 final_aggregate, 1 planning_post_reflect, \
        2.0 execute, 2.0 execute_post_reflect, 2 final_aggregate, 2 planning_post_reflect, \
        3.0 execute, 3.0 execute_post_reflect, 3 final_aggregate, 3 planning_post_reflect, \
        4 update, 4 plan, 4 prior_reflect, \
        4.0 execute, 4.0 execute_post_reflect, 4 final_aggregate, 4 planning_post_reflect, \
        5 update, 5 plan, 5 prior_reflect, \
        5.0 execute, 5.0 execute_post_reflect, 5 final_aggregate, 5 planning_post_reflect, \
        root final_aggregate, root planning_post_reflect";
    assert_eq!(actions(&ran).join(", "), expected);
    assert_eq!((ran.tree.len(), ran.tree.steps(), ran.tree.status()), (11, 36, TreeStatus::Done));
    // 20 calls: 12 rounds of searching, 4 of merging and thinking, 2 judgements, 1 plan, 1 text.
    let of = |agent| counted(&ran, agent);
    assert_eq!(
        [of("execute/search"), of("search_merge") + of("execute/think"), of("atom"), of("plan"), of("execute/write")],
        [12, 4, 2, 1, 1],
        "{:?}",
        calls(&ran)
    );
}

#[tokio::test]
async fn a_story_of_the_recorded_size_takes_the_recorded_numbers_of_actions_and_calls() {
    let ran = finished(Mode::Story, Schedule::Sequential, &story()).await;
    assert_eq!(ran.tree.status(), TreeStatus::Done);
    let executes = ran.tree.nodes().filter(|node| node.node_type == NodeType::Execute).count();
    assert_eq!((ran.tree.len(), executes), (53, 23));
    assert_eq!((ran.tree.steps(), actions(&ran).len()), (188, 188));
    let of = |agent| counted(&ran, agent);
    assert_eq!(
        [of("atom"), of("plan"), of("execute/think"), of("execute/write"), of("final_aggregate")],
        [14, 5, 14, 9, 2],
        "{:?}",
        calls(&ran)
    );
    let writes = |line: &String| {
        let key = line.strip_suffix(" execute").and_then(|key| key.parse().ok());
        key.and_then(|key| ran.tree.node(&key)).is_some_and(|node| node.payload.info.task_type == TaskType::Write)
    };
    let written: Vec<String> = actions(&ran).into_iter().filter(writes).collect();
    assert!(written.len() == 9 && written.is_sorted(), "parts are written in the order of their numbers: {written:?}");
}

#[tokio::test]
async fn a_later_part_is_planned_before_a_deeper_search_of_an_earlier_task_runs() {
    let ran = finished(Mode::Report, Schedule::Sequential, &[search(&[]), search(&[0]), write(&[0], vec![])]).await;
    let actions = actions(&ran);
    let at = |line: &str| actions.iter().position(|action| action == line).unwrap();
    assert!(at("3 plan") < at("2.0 execute"), "{actions:?}");
    assert!(at("2.0 execute") < at("3.0 execute"), "{actions:?}");
}

#[tokio::test]
async fn together_or_one_by_one_the_tree_and_the_text_are_the_same() {
    for (mode, parts) in [(Mode::Report, report()), (Mode::Story, story())] {
        let one = finished(mode, Schedule::Sequential, &parts).await;
        let all = finished(mode, Schedule::Concurrent, &parts).await;
        assert_eq!(one.finished, all.finished);
        assert_eq!(one.tree.nodes().collect::<Vec<_>>(), all.tree.nodes().collect::<Vec<_>>());
        assert_eq!(one.tree.to_json(), all.tree.to_json());
        assert_eq!(calls(&one), calls(&all));
        assert!(all.finished.as_ref().unwrap().is_done());
    }
}
