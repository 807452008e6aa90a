//! Super-steps: what tasks see of each other, in which order they commit, joins, deferred nodes, limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{Context, END, Log, Node, Outcome, RunError, START, Snapshot, StateGraph, Task};
use tokio::sync::Notify;

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, add_nodes, done, failed, line, says, steps, warnings};

on_every_store!(
    case_01_siblings_see_the_state_before_their_step,
    case_02_writes_commit_by_name_and_key_whoever_finishes_first,
    case_04_a_join_runs_once_after_its_last_source,
    case_05_a_node_with_a_join_and_an_edge_runs_for_each,
    case_07_a_starved_join_is_told_and_does_not_survive_the_turn,
    case_08_a_deferred_node_runs_when_nothing_else_is_left,
    case_17_many_sends_keep_their_order_under_a_limit,
    case_19_a_replacement_beside_an_append,
    case_20_several_values_of_one_node_for_one_field,
    case_22_a_budget_is_exact_and_the_run_goes_on,
    case_22_a_limit_of_super_steps_is_exact_on_start_and_on_resume,
    case_23_a_change_of_the_snapshot_is_seen_by_nobody,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const D: Node = Node::named("d");

async fn case_01_siblings_see_the_state_before_their_step(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    for node in [A, B, C] {
        let name = node.as_str().to_owned();
        graph.add_node(node, move |work: Snapshot<Work>| {
            let update = line(format!("{name} saw {}", work.x));
            let update = if name == "a" { update.x(1) } else { update };
            async move { Worked::Ok(update) }
        });
    }
    graph.add_edge(START, A).add_edge(START, B).add_edge(A, C);
    let work = done(case_store.thread(graph).run(Work::update()).await);
    assert_eq!(work.log.iter().collect::<Vec<_>>(), ["a saw 0", "b saw 0", "c saw 1"]);
}

/// Lets tasks finish in a given order.
#[derive(Clone)]
struct Finish {
    order: Arc<Vec<&'static str>>,
    done: Arc<AtomicUsize>,
    changed: Arc<Notify>,
}

impl Finish {
    async fn turn(&self, name: &str) {
        loop {
            let changed = self.changed.notified();
            let at = self.done.load(Ordering::SeqCst);
            if self.order[at % self.order.len()] == name {
                break;
            }
            changed.await;
        }
        self.done.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_waiters();
    }
}

async fn case_02_writes_commit_by_name_and_key_whoever_finishes_first(case_store: &CaseStore) {
    const SENT: Task<u64> = Task::named("w");
    let finish =
        Finish { order: Arc::new(vec!["w1", "z", "m", "w0", "a"]), done: Arc::default(), changed: Arc::default() };
    let graph = || {
        let mut graph = StateGraph::<Work>::new("g");
        for name in ["z", "m", "a"] {
            let finish = finish.clone();
            let node = Node::named(name);
            graph.add_node(node.clone(), move |_: Snapshot<Work>| {
                let finish = finish.clone();
                async move {
                    finish.turn(name).await;
                    Worked::Ok(line(name))
                }
            });
            graph.add_edge(START, node);
        }
        let finish = finish.clone();
        graph.add_task(SENT, move |number: u64, _: Snapshot<Work>| {
            let finish = finish.clone();
            async move {
                finish.turn(&format!("w{number}")).await;
                Worked::Ok(line(format!("send{number}")))
            }
        });
        graph.add_sends(START, SENT, |_: &Work| vec![SENT.send(0, 0), SENT.send(1, 1)]);
        graph
    };
    for _ in 0..3 {
        let thread = case_store.thread(graph());
        assert_eq!(done(thread.run(Work::update()).await).story(), "a m z send0 send1");
        assert_eq!(steps(&thread).await, ["a m z w w"]);
    }
}

async fn case_04_a_join_runs_once_after_its_last_source(case_store: &CaseStore) {
    let [up, side, other, down] = ["up", "side", "other", "down"].map(Node::named);
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[up.clone(), side.clone(), other.clone(), down.clone()]);
    graph.add_edge(START, up.clone()).add_edge(up.clone(), side.clone()).add_edge(up.clone(), other);
    graph.add_join([up, side], down);
    let thread = case_store.thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "up other side down");
    assert_eq!(steps(&thread).await, ["up", "other side", "down"]);
}

async fn case_05_a_node_with_a_join_and_an_edge_runs_for_each(case_store: &CaseStore) {
    let [rewrite, one, two, qa] = ["rewrite", "r1", "r2", "qa"].map(Node::named);
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(rewrite.clone(), |_: Snapshot<Work>| async { Worked::Ok(Work::update()) });
    for (node, docs) in [(&one, ["doc1", "doc2"]), (&two, ["doc3", "doc4"])] {
        graph.add_node(node.clone(), move |_: Snapshot<Work>| async move {
            Worked::Ok(Work::update().log(docs.map(str::to_owned)))
        });
    }
    graph.add_node(qa.clone(), |work: Snapshot<Work>| async move {
        Worked::Ok(Work::update().text(work.story().replace(' ', ",")).sum(1))
    });
    graph
        .add_edge(START, rewrite.clone())
        .add_edge(rewrite.clone(), one.clone())
        .add_edge(rewrite.clone(), two.clone());
    graph.add_edge(rewrite, qa.clone()).add_join([one, two], qa);
    let thread = case_store.thread(graph);
    let work = done(thread.run(Work::update()).await);
    assert_eq!((work.text.as_str(), work.sum), ("doc1,doc2,doc3,doc4", 2));
    assert_eq!(steps(&thread).await, ["rewrite", "qa r1 r2", "qa"]);
    if case_store.keeps_steps() {
        assert_eq!(thread.at(3).state().await.unwrap().state.text, "", "the first run of `qa` saw no documents");
    }
}

async fn case_07_a_starved_join_is_told_and_does_not_survive_the_turn(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B, C, D]);
    graph.add_edge(START, C);
    graph.add_conditional_edges(C, [A, B], |work: &Work| if work.x == 1 { A } else { B });
    graph.add_join([A, B], D);
    let thread = case_store.thread(graph);
    assert_eq!(done(thread.run(Work::update().x(1)).await).story(), "c a");
    let first = ["the join into `d` never filled: `b` did not finish in this run"];
    assert_eq!(warnings(&thread).await, first);
    assert!(thread.state().await.unwrap().next.is_empty());
    assert_eq!(done(thread.run(Work::update().x(2)).await).story(), "c a c b");
    assert_eq!(warnings(&thread).await[1], "the join into `d` never filled: `a` did not finish in this run");
}

async fn case_08_a_deferred_node_runs_when_nothing_else_is_left(case_store: &CaseStore) {
    let [rewrite, one, two, analyzer, qa] = ["rewrite", "r1", "r2", "analyzer", "qa"].map(Node::named);
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[rewrite.clone(), one.clone(), two.clone(), analyzer.clone()]);
    graph.add_node(qa.clone(), says("qa")).deferred();
    graph.add_edge(START, rewrite.clone()).add_edge(rewrite.clone(), one.clone()).add_edge(rewrite, two.clone());
    graph.add_edge(one.clone(), analyzer).add_edge(one, qa.clone()).add_edge(two, qa);
    let thread = case_store.thread(graph);
    done(thread.run(Work::update()).await);
    assert_eq!(steps(&thread).await, ["rewrite", "r1 r2", "analyzer", "qa"]);
}

async fn case_17_many_sends_keep_their_order_under_a_limit(case_store: &CaseStore) {
    const PART: Task<u64> = Task::named("part");
    for (limit, expected) in [(Some(10), 10), (None, 100)] {
        let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let peak = Arc::clone(&most);
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_task(PART, move |number: u64, _: Snapshot<Work>| {
            let (inside, peak) = (Arc::clone(&inside), Arc::clone(&peak));
            async move {
                peak.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                inside.fetch_sub(1, Ordering::SeqCst);
                Worked::Ok(line(number.to_string()))
            }
        });
        graph.add_sends(START, PART, |_: &Work| (0..100).map(|at| PART.send(at, at)).collect());
        let policy = limit.map_or_else(|| case_store.policy(), |limit| case_store.policy().max_concurrency(limit));
        let work = done(case_store.thread(graph).policy(policy).run(Work::update()).await);
        assert_eq!(work.log.iter().cloned().collect::<Vec<_>>(), (0..100).map(|at| at.to_string()).collect::<Vec<_>>());
        assert_eq!(most.load(Ordering::SeqCst), expected);
    }
}

async fn case_19_a_replacement_beside_an_append(case_store: &CaseStore) {
    let replaces = |name: &'static str| {
        move |_: Snapshot<Work>| async move {
            let log: Log<String> = [name.to_owned()].into_iter().collect();
            Worked::Ok(Work::update().replace_log(log))
        }
    };
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, C, D]);
    graph.add_node(B, replaces("b"));
    graph.add_edge(START, A).add_edge(A, B).add_edge(A, C).add_edge(B, D).add_edge(C, D);
    let thread = case_store.thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "b c d", "in commit order, nothing is dropped");

    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, replaces("a"));
    graph.add_node(B, replaces("b"));
    graph.add_edge(START, A).add_edge(START, B);
    let thread = case_store.thread(graph);
    let error = thread.run(Work::update()).await.unwrap_err();
    assert_eq!(thread.state().await.unwrap().next, ["a", "b"], "the thread can be read");
    assert!(matches!(&error, RunError::ReplaceConflict { field, .. } if field == "log"), "{error}");
}

async fn case_20_several_values_of_one_node_for_one_field(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async {
        Worked::Ok(Work::update().log(["one.0".to_owned(), "one.1".to_owned()]))
    });
    graph.add_edge(START, A);
    let thread = case_store.thread(graph);
    assert_eq!(done(thread.run(line("input")).await).story(), "input one.0 one.1");
    assert_eq!(thread.state().await.unwrap().state.story(), "input one.0 one.1");
}

/// Counts in `x`, up to a number.
fn counting(to: i64) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |work: Snapshot<Work>| async move { Worked::Ok(Work::update().x(work.x + 1)) });
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, [A, END], move |work: &Work| if work.x < to { A } else { END });
    graph
}

async fn case_22_a_budget_is_exact_and_the_run_goes_on(case_store: &CaseStore) {
    let thread = case_store.thread(counting(5)).policy(case_store.policy().budget(3));
    let Outcome::BudgetSpent { state, next } = thread.run(Work::update()).await.unwrap() else { panic!("it is spent") };
    assert_eq!((state.x, next.join(" ").as_str()), (3, "a"));
    let stored = thread.state().await.unwrap();
    assert_eq!((stored.status, stored.state.x, stored.next.join(" ").as_str()), (ThreadStatus::BudgetSpent, 3, "a"));
    assert!(matches!(thread.continue_().await.unwrap(), Outcome::BudgetSpent { .. }), "it counts over all resumes");
    assert_eq!(done(thread.policy(case_store.policy().budget(5)).continue_().await).x, 5);

    let exact = case_store.thread(counting(3)).policy(case_store.policy().budget(3));
    assert_eq!(done(exact.run(Work::update()).await).x, 3, "a budget that is just enough is enough");
}

async fn case_22_a_limit_of_super_steps_is_exact_on_start_and_on_resume(case_store: &CaseStore) {
    let thread = case_store.thread(counting(7)).policy(case_store.policy().max_steps(3));
    for expected in [3, 6] {
        let call = if expected == 3 { thread.run(Work::update()) } else { thread.continue_() };
        assert!(failed(call.await).starts_with("the limit of 3 super-steps was reached, next would be a"));
        assert_eq!(thread.state().await.unwrap().state.x, expected);
    }
    assert_eq!(done(thread.continue_().await).x, 7);
    let exact = case_store.thread(counting(1)).policy(case_store.policy().max_steps(1));
    assert_eq!(done(exact.run(Work::update()).await).x, 1, "one node fits a limit of one");
}

async fn case_23_a_change_of_the_snapshot_is_seen_by_nobody(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    let changed = Arc::new(Notify::new());
    let (tells, waits) = (Arc::clone(&changed), changed);
    graph.add_node(A, move |work: Snapshot<Work>| {
        let mut own = Work::clone(&work);
        own.log.push("mutated".to_owned());
        own.x = 13;
        tells.notify_one();
        async move { Worked::Ok(line(format!("a has {}", own.story()))) }
    });
    graph.add_node(B, move |work: Snapshot<Work>, _: Context| {
        let waits = Arc::clone(&waits);
        async move {
            waits.notified().await;
            Worked::Ok(line(format!("b has {}", work.story())))
        }
    });
    graph.add_node(C, |work: Snapshot<Work>| async move { Worked::Ok(Work::update().sum(work.x)) });
    graph.add_edge(START, A).add_edge(START, B).add_edge(A, C);
    let work = done(case_store.thread(graph).run(line("in")).await);
    assert_eq!(work.log.iter().collect::<Vec<_>>(), ["in", "a has in mutated", "b has in"]);
    assert_eq!((work.x, work.sum), (0, 0));
}
