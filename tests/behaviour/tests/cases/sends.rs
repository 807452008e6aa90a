//! Sends: order, nesting, what a target sees.

use graphloom_core_graph::{Context, END, Node, NodeError, START, Snapshot, StateGraph, Step, Task};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Calls, Work, Worked, add_nodes, done, line, steps, waiting};

on_every_store!(
    case_13_an_edge_behind_sends_runs_once,
    case_14_nodes_commit_before_sends_and_sends_by_key,
    case_15_sends_of_a_target_run_a_step_later_and_replace_its_edges,
    case_16_a_target_gets_its_input_and_the_router_behind_it_the_state,
    case_49_finished_sends_do_not_run_again_after_a_question,
);

const TWO: Task<u64> = Task::named("2");

fn nodes() -> [Node; 5] {
    ["0", "1", "1.1", "3", "3.1"].map(Node::named)
}

async fn case_13_an_edge_behind_sends_runs_once(case_store: &CaseStore) {
    let [zero, one, _, three, _] = nodes();
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[zero.clone(), one.clone(), three.clone()]);
    graph.add_task(TWO, |_: u64, _: Snapshot<Work>| async { Worked::Ok(line("2")) });
    graph.add_edge(START, zero.clone()).add_edge(zero, one.clone()).add_edge(TWO, three);
    graph.add_sends(one, TWO, |_: &Work| vec![TWO.send("x", 0), TWO.send("y", 0)]);
    let thread = case_store.thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "0 1 2 2 3");
    assert_eq!(steps(&thread).await, ["0", "1", "2 2", "3"]);
}

/// `0`, then `1` and `1.1`, which send four times to `2`; `1` leads to `3.1`, `2` to `3`.
fn wide(second: bool, flaky: Option<&Calls>) -> StateGraph<Work> {
    let [zero, one, one_one, three, three_one] = nodes();
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[zero.clone(), one.clone(), one_one.clone(), three.clone(), three_one.clone()]);
    let calls = flaky.cloned();
    graph
        .add_task(TWO, move |number: u64, _: Snapshot<Work>, cx: Context| {
            let calls = calls.clone();
            async move {
                if let Some(calls) = &calls {
                    calls.add(number.to_string());
                    if number == 4 {
                        let _: String = cx.ask("go", &()).await?;
                    }
                }
                let step =
                    if second && number < 3 { Step::send([TWO.send(number + 2, number + 2)]) } else { Step::edges() };
                Ok::<Step<Work>, NodeError>(step.with(line(format!("2|{number}"))))
            }
        })
        .may_send(TWO)
        .asks::<String>("go");
    graph.add_edge(START, zero.clone()).add_edge(zero.clone(), one.clone()).add_edge(zero, one_one.clone());
    graph.add_sends(one.clone(), TWO, |_: &Work| vec![TWO.send(1, 1), TWO.send(2, 2)]);
    graph.add_edge(one, three_one.clone()).add_edge(three_one, END).add_edge(TWO, three);
    if !second {
        graph.add_sends(one_one, TWO, |_: &Work| vec![TWO.send(3, 3), TWO.send(4, 4)]);
    }
    graph
}

async fn case_14_nodes_commit_before_sends_and_sends_by_key(case_store: &CaseStore) {
    let thread = case_store.thread(wide(false, None));
    assert_eq!(done(thread.run(Work::update()).await).story(), "0 1 1.1 3.1 2|1 2|2 2|3 2|4 3");
    assert_eq!(steps(&thread).await, ["0", "1 1.1", "3.1 2 2 2 2", "3"]);
}

async fn case_15_sends_of_a_target_run_a_step_later_and_replace_its_edges(case_store: &CaseStore) {
    let thread = case_store.thread(wide(true, None));
    assert_eq!(done(thread.run(Work::update()).await).story(), "0 1 1.1 3.1 2|1 2|2 2|3 2|4 3");
    assert_eq!(steps(&thread).await, ["0", "1 1.1", "3.1 2 2", "2 2", "3"]);
}

async fn case_16_a_target_gets_its_input_and_the_router_behind_it_the_state(case_store: &CaseStore) {
    const TARGET: Task<(String, u64)> = Task::named("target");
    let last = Node::named("last");
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_task(TARGET, |input: (String, u64), _: Snapshot<Work>| async move {
        Worked::Ok(line(format!("{}{}", input.0, input.1)))
    });
    graph.add_node(last.clone(), |_: Snapshot<Work>| async { Worked::Ok(line("last")) });
    graph.add_sends(START, TARGET, |_: &Work| vec![TARGET.send("only", ("i".to_owned(), 3))]);
    let to = last.clone();
    graph.add_conditional_edges(TARGET, [last, END], move |work: &Work| {
        if (work.x, work.story().as_str()) == (3, "L i3") { to.clone() } else { END }
    });
    assert_eq!(done(case_store.thread(graph).run(line("L").x(3)).await).story(), "L i3 last");
}

async fn case_49_finished_sends_do_not_run_again_after_a_question(case_store: &CaseStore) {
    let calls = Calls::default();
    let thread = case_store.thread(wide(true, Some(&calls)));
    let questions = waiting(thread.run(Work::update()).await);
    assert_eq!(calls.all().len(), 4);
    assert_eq!(steps(&thread).await, ["0", "1 1.1", "3.1 2 2"]);
    let work = done(thread.resume(questions.answer("go", "on").unwrap()).await);
    assert_eq!(work.story(), "0 1 1.1 3.1 2|1 2|2 2|3 2|4 3");
    let ran = ["1", "2", "3", "4"].map(|number| calls.count(number));
    assert_eq!(ran, [1, 1, 1, 2], "only what asked runs again");
}
