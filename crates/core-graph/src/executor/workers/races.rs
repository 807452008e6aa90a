//! Workers, the driver and the monitor against each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shuttle::future::block_on;
use shuttle::sync::Barrier;

use super::*;
use crate::clock::SystemClock;
use crate::error::NodeError;
use crate::graph::{Compiled, StateGraph};
use crate::limits::RunPolicy;
use crate::name::{Node, START};
use crate::recorder::session::Session;
use crate::state::Snapshot;
use crate::sync::{explore, thread};

#[derive(crate::State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Empty {}

/// Nodes of one dispatch, with what runs them.
struct Pool {
    graph: Compiled<Empty>,
    namespace: Arc<NamespaceContext>,
    runtime: Runtime<Empty, ()>,
}

const ONE: Node = Node::named("one");
const TWO: Node = Node::named("two");
const THREE: Node = Node::named("three");
const NODES: [Node; 3] = [ONE, TWO, THREE];

impl Pool {
    /// Three nodes, which run `node` with their numbers.
    fn new<F: Future<Output = ()> + Send + 'static>(node: impl Fn(u32) -> F + Send + Sync + 'static) -> Self {
        let node = Arc::new(node);
        let mut graph = StateGraph::<Empty>::new("raced");
        for (number, name) in NODES.into_iter().enumerate() {
            let node = Arc::clone(&node);
            graph.add_node(name.clone(), move |_: Snapshot<Empty>| {
                let ended = node(number as u32);
                async move {
                    ended.await;
                    Ok::<_, NodeError>(())
                }
            });
            graph.add_edge(START, name);
        }
        let graph = graph.compile().expect("right");
        let runtime = Runtime::of(&graph.executable, Arc::new(()));
        let (clock, policy) = (Arc::new(SystemClock), RunPolicy::default());
        let session = Session::new("".into(), None, clock, Arc::default(), policy, None, None, Default::default());
        let namespace = NamespaceContext::for_call(&Arc::new(session), &"".into(), &runtime.topology.outline);
        Self { graph, namespace: Arc::new(namespace), runtime }
    }

    /// Starts tasks of these nodes.
    fn start(&self, workers: &mut Workers, nodes: std::ops::Range<u32>, takes_part: bool) {
        let dispatch = |number: u32| Dispatch {
            id: TaskId { number: u64::from(number), place: 0 },
            node: self.graph.executable.topology.outline.find(NODES[number as usize].as_str()).expect("a node"),
            attempt: 1,
            key: None,
            input: None,
            failure: None,
            timeout: None,
            state: Arc::default(),
            began: 0,
            is_of_run: true,
        };
        workers.begin(nodes.len());
        let start = DispatchStart { runtime: &self.runtime, namespace: &self.namespace, step: 0 };
        workers.start(nodes.map(dispatch).collect(), &start, takes_part);
    }
}

/// Takes what ends until so many tasks have, and checks that each did once.
async fn ended(workers: &mut Workers, tasks: usize) {
    let mut all = Vec::new();
    while all.len() < tasks {
        let ended = workers.next().await;
        assert!(ended.iter().all(|(_, outcome)| matches!(outcome, TaskOutcome::Step(_))), "a task failed");
        all.extend(ended.into_iter().map(|(id, _)| id.number));
    }
    all.sort_unstable();
    assert_eq!(all, (0..tasks as u64).collect::<Vec<_>>(), "each task ends once");
    assert!(workers.is_empty());
}

#[test]
fn each_task_runs_once_and_the_driver_is_told() {
    for takes_part in [true, false] {
        explore(1500, move || {
            let ran = Arc::new([const { AtomicUsize::new(0) }; 3]);
            let counts = Arc::clone(&ran);
            let pool = Pool::new(move |number| {
                counts[number as usize].fetch_add(1, Ordering::SeqCst);
                async move {
                    // The second waits after its first poll, the third twice.
                    for _ in 0..number {
                        yield_now().await;
                    }
                }
            });
            let mut workers = Workers::new(None);
            pool.start(&mut workers, 0..3, takes_part);
            block_on(ended(&mut workers, 3));
            assert!(ran.iter().all(|times| times.load(Ordering::SeqCst) == 1), "{ran:?}");
        });
    }
}

#[test]
fn a_dispatch_that_comes_while_another_runs_is_not_held_up() {
    explore(1500, || {
        let pool = Pool::new(|number| async move {
            for _ in 0..number {
                yield_now().await;
            }
        });
        let mut workers = Workers::new(None);
        // The first, which no monitor looks after, is left to a worker of its own when the second comes.
        pool.start(&mut workers, 0..1, true);
        pool.start(&mut workers, 1..3, true);
        block_on(ended(&mut workers, 3));
    });
}

#[test]
fn tasks_that_meet_in_a_call_that_blocks_do_meet() {
    explore(1500, || {
        let meeting = Arc::new(Barrier::new(2));
        let pool = Pool::new(move |number| {
            let meeting = Arc::clone(&meeting);
            async move {
                if number != 1 {
                    meeting.wait();
                }
            }
        });
        let mut workers = Workers::new(None);
        for _ in 0..2 {
            pool.start(&mut workers, 0..3, true);
            block_on(ended(&mut workers, 3));
            // The monitor may sleep by now.
            for _ in 0..4 {
                thread::sleep(Duration::from_millis(1));
            }
        }
    });
}

#[test]
fn a_task_that_waits_does_not_wait_for_the_driver() {
    explore(1500, || {
        let held = Arc::new(tokio::sync::Mutex::new(()));
        let asks = Arc::clone(&held);
        let pool = Pool::new(move |_| {
            let asks = Arc::clone(&asks);
            async move { drop(asks.lock().await) }
        });
        let mut workers = Workers::new(None);
        block_on(async {
            let before = held.lock().await;
            pool.start(&mut workers, 0..3, false);
            yield_now().await;
            drop(before);
            // Tasks may be next. The driver asks for the same without looking at them.
            drop(held.lock().await);
            ended(&mut workers, 3).await;
        });
    });
}

/// Counts those that are alive.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(all: &Arc<AtomicUsize>) -> Self {
        all.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(all))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Nodes of which the first is ready at once, and the others wait for ever.
fn endless(alive: &Arc<AtomicUsize>) -> Pool {
    let alive = Arc::clone(alive);
    Pool::new(move |number| {
        let inside = Alive::new(&alive);
        async move {
            let _inside = inside;
            if number > 0 {
                std::future::pending::<()>().await;
            }
        }
    })
}

#[test]
fn nothing_runs_when_a_run_was_aborted() {
    explore(1500, || {
        let alive = Arc::new(AtomicUsize::new(0));
        let pool = endless(&alive);
        let mut workers = Workers::new(None);
        pool.start(&mut workers, 0..3, false);
        thread::sleep(Duration::ZERO);
        pool.namespace.session.control.cancel();
        let ended = block_on(workers.abort());
        assert!(ended.len() <= 1, "one task ends");
        assert_eq!(alive.load(Ordering::SeqCst), 0, "what was stopped is dropped");
        assert!(workers.is_empty());
    });
}

#[test]
fn what_nobody_waits_for_any_more_ends() {
    explore(1500, || {
        let alive = Arc::new(AtomicUsize::new(0));
        let pool = endless(&alive);
        let mut workers = Workers::new(None);
        pool.start(&mut workers, 0..3, false);
        // The handle of a queue whose workers are gone, to see that nobody has it.
        let queue = Arc::downgrade(workers.completions());
        thread::sleep(Duration::ZERO);
        drop(workers);
        // Whatever is left is about to be stopped; the tasks that would wait for it never end by themselves.
        while queue.strong_count() > 0 || alive.load(Ordering::SeqCst) > 0 {
            thread::yield_now();
        }
    });
}
