//! Guarded runs: a loop of 10 000 super-steps under each guard, next to the same loop without one.

use graphloom_core_graph::{
    App, CompileErrors, Durability, END, EventMode, Node, Outcome, Retry, RunPolicy, START, StateGraph,
};

use crate::Failure;
use crate::graphs::{Count, tick};
use crate::measure::{Clock, Cost, Measurements, Place, Store};

const STEPS: u64 = 10_000;
const TICK: Node = Node::named("tick");
const ELSEWHERE: Node = Node::named("elsewhere");

/// What is set on a loop besides its nodes and edges.
#[derive(Clone, Copy, Debug)]
struct Guards {
    max_steps: bool,
    budget: bool,
    breakpoint: bool,
    class: bool,
    retry: bool,
    subscriber: bool,
}

const NONE: Guards =
    Guards { max_steps: false, budget: false, breakpoint: false, class: false, retry: false, subscriber: false };

/// Each guard by itself and all together, with how many times a bare run it may take without a store.
pub(crate) const GUARDS: [(&str, f64); 7] = [
    ("max_steps", 1.5),
    ("breakpoint", 1.5),
    ("retry", 1.5),
    ("budget", 2.0),
    ("class", 2.0),
    ("subscriber", 4.0),
    ("all", 5.0),
];

fn guards(name: &str) -> Guards {
    match name {
        "max_steps" => Guards { max_steps: true, ..NONE },
        "budget" => Guards { budget: true, ..NONE },
        "breakpoint" => Guards { breakpoint: true, ..NONE },
        "class" => Guards { class: true, ..NONE },
        "retry" => Guards { retry: true, ..NONE },
        "subscriber" => Guards { subscriber: true, ..NONE },
        _ => Guards { max_steps: true, budget: true, breakpoint: true, class: true, retry: true, subscriber: true },
    }
}

/// Measures the guards that are wanted, and prints how many bare runs each takes.
#[expect(clippy::print_stdout, reason = "a row is told when it is there")]
pub(crate) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    for store in [Store::None, Store::Memory, Store::Normal] {
        for (name, _) in GUARDS {
            let label = format!("guarded {name} {}", store.name());
            if !bench.wants(&label, true) {
                continue;
            }
            let (bare, guarded) = (looped(NONE)?, looped(guards(name))?);
            let mut ratios = Vec::new();
            let mut times = (f64::MAX, f64::MAX);
            for _ in 0..if store.is_file() { 3 } else { 15 } {
                let bare = run(bench, &bare, NONE, store).await?;
                let guarded = run(bench, &guarded, guards(name), store).await?;
                times = (times.0.min(bare.cpu), times.1.min(guarded.cpu));
                ratios.push(guarded.cpu / bare.cpu);
            }
            ratios.sort_by(f64::total_cmp);
            let ratio = ratios[ratios.len() / 2];
            println!("{label}: {:.3} µs a step, {:.3} without, {ratio:.2} times", times.1, times.0);
            bench.found(label, ratio);
        }
    }
    Ok(())
}

fn looped(guards: Guards) -> Result<App<Count>, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("loop");
    let spec = graph.add_node(TICK, tick);
    if guards.retry {
        spec.retry(Retry::exponential(3));
    }
    if guards.class {
        spec.class("model");
    }
    graph.limit("model", 4);
    graph.add_node(ELSEWHERE, tick);
    graph.add_edge(START, TICK);
    // The last is never gone to.
    let route = |count: &Count| match count.n {
        0..STEPS => TICK,
        u64::MAX => ELSEWHERE,
        _ => END,
    };
    graph.add_conditional_edges(TICK, (TICK, ELSEWHERE, END), route);
    Ok(graph.compile()?.with_context(()))
}

/// The cost of a step of one run.
async fn run(bench: &Measurements, app: &App<Count>, guards: Guards, store: Store) -> Result<Cost, Failure> {
    let mut policy = RunPolicy::default().durability(Durability::Sync);
    if guards.max_steps {
        policy = policy.max_steps(2 * STEPS);
    }
    if guards.budget {
        policy = policy.budget(2 * STEPS);
    }
    if guards.breakpoint {
        policy = policy.break_before(ELSEWHERE).break_after(ELSEWHERE);
    }
    let (app, file) = (app.clone(), bench.file());
    let run = tokio::spawn(async move {
        let opened = Place::open(store, &file)?;
        let thread = app.with_shared_checkpointer(opened).thread("bench").policy(policy.clone());
        let clock = Clock::start();
        let mut run = match store {
            Store::None => app.run_once_with(Count::update(), policy),
            _ => thread.run(Count::update()),
        };
        if guards.subscriber {
            run = run.only([EventMode::Lifecycle]);
            while run.next().await.is_some() {}
        }
        let outcome = run.await?;
        let cost = clock.cost(STEPS);
        match outcome {
            Outcome::Done(count) if count.n == STEPS => Ok(cost),
            other => Err(Failure::from(format!("the run ended as {other:?}"))),
        }
    });
    run.await?
}
