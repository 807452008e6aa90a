//! Events: what is told, what is stored, slow readers, readers that come back.

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{
    ChildOutcome, Context, EventKind, EventMode, Lag, Mode, Node, NodeError, Order, Outcome, Retry, RunPolicy, START,
    Snapshot, StateGraph, Task,
};

use crate::log::{Build, Gate, Noted, Work, done, note, noted, steps, thread, threads};
use crate::place::only_in_place;

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const PLAN: Node = Node::named("plan");
const PART: Task<u64> = Task::named("part");

fn graph() -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(A, |_: Snapshot<Work>, cx: Context| async move {
            cx.emit("token", format!("try {}", cx.task().attempt)).await;
            if cx.task().attempt == 1 { Err(NodeError::retryable("busy")) } else { Noted::Ok(noted("a")) }
        })
        .retry(Retry::immediate(2));
    graph.add_node(B, note("b"));
    graph.add_edge(START, A).add_edge(A, B);
    graph
}

#[tokio::test]
async fn a_reader_sees_everything_in_order_with_attempts() {
    let thread = thread(graph());
    let mut run = thread.run(Work::update());
    let mut told = Vec::new();
    while let Some(event) = run.next().await {
        let about = event.task.as_deref().unwrap_or("-").to_owned();
        let what = match &event.kind {
            EventKind::RunStarted { how, .. } => format!("started by {how}"),
            EventKind::TaskStarted { node, .. } => format!("task {node}"),
            EventKind::TaskFinished { node } => format!("finished {node}"),
            EventKind::TaskRetry { error, .. } => format!("retry: {error}"),
            EventKind::Custom { name, payload } => format!("{name} {}", payload.json().as_str().unwrap()),
            EventKind::Update { payload, .. } => format!("update {}", payload.json()["notes"]),
            EventKind::Values { payload } => format!("values {}", payload.get::<Work>().unwrap().story()),
            EventKind::Committed { checkpoint, changed, next, .. } => {
                format!("commit {checkpoint} {} -> {}", changed.join(","), next.join(","))
            }
            EventKind::RunEnded { status, .. } => format!("ended {status:?}"),
            other => format!("{other:?}"),
        };
        let seq = event.seq.map_or_else(|| "live".to_owned(), |seq| seq.to_string());
        told.push(format!("{seq:>4} step {} {about}#{} {what}", event.step, event.attempt));
    }
    assert_eq!(done(run.await).story(), "a b");
    insta::assert_snapshot!(told.join("\n"), @r#"
       1 step 0 -#0 started by input
       2 step 0 -#0 commit 1  -> a
    live step 0 -#0 values 
    live step 0 a:1.0#1 task a
    live step 0 a:1.0#1 token try 1
       3 step 0 a:1.0#1 retry: busy
    live step 0 a:1.0#2 task a
    live step 0 a:1.0#2 token try 2
    live step 0 a:1.0#2 finished a
    live step 1 a:1.0#2 update ["a"]
       4 step 1 -#0 commit 2 notes -> b
    live step 1 -#0 values a
    live step 1 b:2.0#1 task b
    live step 1 b:2.0#1 finished b
    live step 2 b:2.0#1 update ["b"]
       5 step 2 -#0 commit 3 notes -> 
    live step 2 -#0 values a b
       6 step 2 -#0 ended Done
    "#);
}

#[tokio::test]
async fn the_journal_is_read_on_from_any_place_in_any_process() {
    let thread = thread(graph());
    let mut run = thread.run(Work::update());
    let mut live = Vec::new();
    while let Some(event) = run.next().await {
        live.extend(event.seq.map(|seq| (seq, serde_json::to_value(&event).unwrap())));
    }
    done(run.await);
    let stored = thread.journal(0, usize::MAX).await.unwrap();
    let stored: Vec<_> =
        stored.iter().map(|event| (event.seq.unwrap(), serde_json::to_value(event).unwrap())).collect();
    assert_eq!(stored, live, "what is stored is what was told");
    for from in 0..=stored.len() {
        let rest = thread.journal(from as u64, 2).await.unwrap();
        let seqs: Vec<_> = rest.iter().map(|event| event.seq.unwrap()).collect();
        let expected: Vec<_> = stored.iter().skip(from).take(2).map(|(seq, _)| *seq).collect();
        assert_eq!(seqs, expected);
    }
    done(thread.run(Work::update()).await);
    let all = thread.journal(0, usize::MAX).await.unwrap();
    assert!(all.windows(2).all(|pair| pair[0].seq < pair[1].seq), "a second run goes on counting");
}

#[tokio::test]
async fn a_slow_reader_holds_the_run_up_or_loses_the_oldest() {
    let mut busy = StateGraph::<Work>::new("g");
    busy.add_node(A, |_: Snapshot<Work>, cx: Context| async move {
        for number in 0..3000u32 {
            cx.emit("n", number).await;
        }
        Noted::Ok(noted("a"))
    });
    busy.add_edge(START, A);
    let threads = threads(busy);
    for lag in [Lag::Block, Lag::DropOldest] {
        let thread = threads.thread(format!("{lag:?}"));
        let mut run = thread.run(Work::update()).lag(lag);
        let first = run.next().await.unwrap();
        let mut lost = if let EventKind::Lagged { lost } = first.kind { lost } else { 0 };
        let has_ended = async || thread.state().await.unwrap().status == ThreadStatus::Done;
        if lag == Lag::DropOldest && only_in_place("turns of the scheduler are counted") {
            while !has_ended().await {
                tokio::task::yield_now().await;
            }
        }
        for _ in 0..10_000 {
            tokio::task::yield_now().await;
        }
        assert_eq!(has_ended().await, lag == Lag::DropOldest, "only a blocking reader holds the run up");
        let mut numbers = Vec::new();
        while let Some(event) = run.next().await {
            match event.kind {
                EventKind::Custom { payload, .. } => numbers.extend(payload.json().as_u64()),
                EventKind::Lagged { lost: some } => lost += some,
                _ => {}
            }
        }
        assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]));
        assert_eq!(numbers.last(), Some(&2999));
        match lag {
            Lag::Block => assert_eq!((numbers.len(), lost), (3000, 0)),
            Lag::DropOldest => assert!(lost > 1500 && numbers.len() < 1500, "{lost} {}", numbers.len()),
        }
        done(run.await);
    }
}

/// A fan-out in eager mode whose tasks finish after as many turns as `turns` says.
fn racing(turns: fn(u64) -> u64) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    graph.add_node(PLAN, note("plan"));
    graph.add_task(PART, move |number: u64, work: Snapshot<Work>| async move {
        for _ in 0..turns(number) {
            tokio::task::yield_now().await;
        }
        Noted::Ok(noted(format!("{number}/{}", work.notes.len())))
    });
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |_: &Work| (0..6).map(|at| PART.send(at, at)).collect());
    graph
}

#[tokio::test]
async fn a_recorded_order_gives_the_same_state_again() {
    let first = thread(racing(|number| (number * 7) % 5 * 3));
    let story = done(first.run(Work::update()).await).story();
    let journal = first.journal(0, usize::MAX).await.unwrap();
    let order: Vec<String> = journal
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::Committed { tasks, .. } => Some(tasks),
            _ => None,
        })
        .flatten()
        .map(|task| task.to_string())
        .collect();
    let plain = done(thread(racing(|number| 30 - number * 5)).run(Work::update()).await).story();
    assert_ne!(plain, story, "without the record the order is another");
    for turns in [|number| 30 - number * 5, |number: u64| number] {
        let policy = RunPolicy::default().order(Order::Recorded(order.clone()));
        let again = thread(racing(turns)).policy(policy);
        assert_eq!(done(again.run(Work::update()).await).story(), story);
        assert_eq!(steps(&again).await, steps(&first).await);
    }
}

#[tokio::test]
async fn a_recorded_order_that_cannot_be_kept_does_not_hang() {
    let ghosts = ["ghost:9.9", "part:2.5", "part:2.1", "part:2.0", "part:2.3"].map(str::to_owned).to_vec();
    for concurrency in [1, 2, 9] {
        let policy = RunPolicy::default().order(Order::Recorded(ghosts.clone())).max_concurrency(concurrency);
        let work = done(thread(racing(|number| number)).policy(policy).run(Work::update()).await);
        assert_eq!(work.notes.len(), 7, "{concurrency}");
    }
}

#[tokio::test]
async fn a_reader_is_told_only_what_it_wants() {
    let threads = threads(graph());
    for (modes, expected) in [
        (vec![EventMode::Values], "values values values"),
        (vec![EventMode::Updates], "update update"),
        (vec![EventMode::Custom], "custom custom"),
        (vec![EventMode::Tasks], "task_started task_retry task_started task_finished task_started task_finished"),
        (vec![EventMode::Checkpoints], "committed committed committed"),
        (vec![EventMode::Updates, EventMode::Custom], "custom custom update update"),
    ] {
        let thread = threads.thread(format!("{modes:?}"));
        let mut run = thread.run(Work::update()).only(modes);
        let mut told = Vec::new();
        while let Some(event) = run.next().await {
            told.push(serde_json::to_value(&event).unwrap()["event"].as_str().unwrap().to_owned());
        }
        done(run.await);
        assert_eq!((told.first().unwrap().as_str(), told.last().unwrap().as_str()), ("run_started", "run_ended"));
        assert_eq!(told[1..told.len() - 1].join(" "), expected);
    }
}

#[tokio::test]
async fn a_task_that_waits_for_its_step_has_told_that_it_finished() {
    let gate = Gate::default();
    let waits = gate.clone();
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Ok::<_, NodeError>(()) });
    graph.add_node(B, move |_: Snapshot<Work>| {
        let gate = waits.clone();
        async move {
            gate.pass().await;
            Noted::Ok(noted("b"))
        }
    });
    graph.add_edge(START, A).add_edge(START, B);
    let mut run = thread(graph).run(Work::update()).only([EventMode::Tasks, EventMode::Checkpoints]);
    let mut told = Vec::new();
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::TaskFinished { node } => {
                told.push(format!("{node} finished"));
                gate.open();
            }
            EventKind::Committed { tasks, .. } => told.push(tasks.join(" ")),
            _ => {}
        }
    }
    done(run.await);
    assert_eq!(told, ["", "a finished", "b finished", "a:1.0 b:1.1"], "`a` has no update, and tells it all the same");
}

/// What is told of namespaces: who, what, and how it went.
async fn lifecycle(mut run: graphloom_core_graph::Run<Work>) -> (Vec<String>, Outcome<Work>) {
    let mut told = Vec::new();
    while let Some(event) = run.next().await {
        let ns = if event.ns.is_empty() { "root" } else { &event.ns };
        told.push(match event.kind {
            EventKind::RunStarted { how, .. } => format!("{ns} started by {how}"),
            EventKind::RunEnded { status, detail } => format!("{ns} {status:?} {detail}"),
            EventKind::SubgraphStarted { graph, how } => format!("{ns} `{graph}` started by {how}"),
            EventKind::SubgraphEnded { graph, status, detail } => format!("{ns} `{graph}` {status:?} {detail}"),
            other => panic!("{other:?}"),
        });
    }
    (told, run.await.expect("the run does not fail"))
}

#[tokio::test]
async fn the_life_of_the_run_and_of_every_subgraph_is_a_mode_of_its_own() {
    const CHILD: Node = Node::named("child");
    const INNER: Node = Node::named("inner");
    let mut inner = StateGraph::<Work>::new("inner graph");
    inner
        .add_node(A, |_: Snapshot<Work>, cx: Context| async move {
            let name: String = cx.ask("name", "?").await?;
            if name == "bad" { Err(NodeError::terminal("a bad name")) } else { Noted::Ok(noted(name)) }
        })
        .asks::<String>("name");
    inner.add_edge(START, A);
    let mut child = StateGraph::<Work>::new("child graph");
    child.add_node(B, note("b"));
    child.add_subgraph(
        INNER,
        inner.built(),
        |_: &Work| Work::update(),
        |inner| {
            Ok(match inner {
                ChildOutcome::Done(work) => noted(work.story()),
                ChildOutcome::Failed { error, .. } => noted(format!("escalated: {error}")),
                _ => noted("?"),
            })
        },
    );
    child.add_edge(START, B).add_edge(B, INNER);
    let mut graph = StateGraph::<Work>::new("g");
    let out = |child: ChildOutcome<Work>| Ok::<_, NodeError>(noted(child.done()?.story()));
    graph.add_subgraph(CHILD, child.built(), |_: &Work| Work::update(), out);
    graph.add_edge(START, CHILD);
    let threads = threads(graph);
    for (id, name) in [("good", "Ada"), ("bad", "bad")] {
        let thread = threads.thread(id);
        let (told, outcome) = lifecycle(thread.run(Work::update()).only([EventMode::Lifecycle])).await;
        assert_eq!(
            told,
            [
                "root started by input",
                "child:1.0 `child graph` started by input",
                "child:1.0/inner:2.0 `inner graph` started by input",
                "child:1.0/inner:2.0 `inner graph` Waiting `name`",
                "child:1.0 `child graph` Waiting `name`",
                "root Waiting `name`",
            ]
        );
        let Outcome::Waiting(questions) = outcome else { panic!("it asks") };
        let answers = questions.answer("name", name).unwrap();
        let (told, _) = lifecycle(thread.resume(answers).only([EventMode::Lifecycle])).await;
        let inner = if name == "bad" { "Failed node `a`: a bad name" } else { "Done " };
        assert_eq!(
            told,
            [
                "child:1.0 `child graph` started by continue".to_owned(),
                "child:1.0/inner:2.0 `inner graph` started by continue".to_owned(),
                format!("child:1.0/inner:2.0 `inner graph` {inner}"),
                "child:1.0 `child graph` Done ".to_owned(),
                // It has its place in the journal with the first commit of the call.
                "root started by resume".to_owned(),
                "root Done ".to_owned(),
            ]
        );
    }
}
