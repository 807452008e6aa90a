//! The graph of a drawing.

use std::time::Duration;

use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, Failure, Mode, Node, NodeError, Persistence, Retry, START, Snapshot, StateGraph,
    Step, Task,
};

use super::{Block, Kind, QUESTION, Sends, name, node};
use crate::tally::{Tally, TallyUpdate, all_ran, ran};

pub(super) fn compiled(name: &str, mode: Mode, body: &Block) -> Result<Compiled<Tally>, String> {
    let mut graph = StateGraph::<Tally>::new(name);
    graph.mode(mode);
    let (first, _) = add(&mut graph, body)?;
    graph.add_edge(START, first);
    graph.compile().map_err(|errors| errors.to_string())
}

/// Adds a block and tells where it begins and ends.
fn add(graph: &mut StateGraph<Tally>, block: &Block) -> Result<(Node, Node), String> {
    Ok(match block {
        Block::One(number, kind) => {
            let one = node("n", *number);
            add_one(graph, &one, *kind);
            (one.clone(), one)
        }
        Block::Chain(blocks) => {
            let mut ends: Option<(Node, Node)> = None;
            for block in blocks {
                let (first, last) = add(graph, block)?;
                ends = Some(match ends {
                    None => (first, last),
                    Some((begin, end)) => {
                        graph.add_edge(end, first);
                        (begin, last)
                    }
                });
            }
            ends.ok_or("an empty chain")?
        }
        Block::Fan(number, blocks) => {
            let (fan, join) = (node("fan", *number), node("join", *number));
            add_one(graph, &fan, Kind::Plain);
            add_one(graph, &join, Kind::Plain);
            let mut lasts = Vec::new();
            for block in blocks {
                let (first, last) = add(graph, block)?;
                graph.add_edge(fan.clone(), first);
                lasts.push(last);
            }
            graph.add_join(lasts, join.clone());
            (fan, join)
        }
        Block::Sends(number, sends) => add_sends(graph, *number, *sends)?,
        Block::Loop { number, times, goto, body } => add_loop(graph, *number, *times, *goto, body)?,
        Block::Either(number, left) => {
            let [either, one, other, then] = ["either", "left", "right", "then"].map(|part| node(part, *number));
            for part in [&either, &one, &other, &then] {
                add_one(graph, part, Kind::Plain);
            }
            let taken = if *left { one.clone() } else { other.clone() };
            graph.add_conditional_edges(either.clone(), [one.clone(), other.clone()], move |_: &Tally| taken.clone());
            for from in [one, other] {
                let to = then.clone();
                graph.add_conditional_edges(from, then.clone(), move |_: &Tally| to.clone());
            }
            (either, then)
        }
        Block::Child { number, mode, kept, body } => {
            let child = node("child", *number);
            let inner = compiled(child.as_str(), *mode, body)?;
            let (number, kept, own) = (*number, *kept, child.as_str().to_owned());
            let spec = graph.add_subgraph(
                child.clone(),
                inner,
                |_: &Tally| Tally::update(),
                move |outcome: ChildOutcome<Tally>| {
                    let child = outcome.done()?;
                    Ok::<_, NodeError>(if kept {
                        let names = [own.clone(), stand(number, child.log.len() as u64, child.effects)];
                        all_ran(names.clone()).log(names)
                    } else {
                        taken_over(&child, &own)
                    })
                },
            );
            if kept {
                spec.persistence(Persistence::PerThread);
            }
            (child.clone(), child)
        }
    })
}

/// Where a child that is kept stands after a call.
pub(super) fn stand(number: u64, lines: u64, effects: u64) -> String {
    format!("kept{number} {lines} {effects}")
}

/// What a parent takes from its child, and that the child ran.
fn taken_over(child: &Tally, own: &str) -> TallyUpdate {
    let names = child.ran.iter().flat_map(|(name, times)| (0..*times).map(move |_| name.clone()));
    let log: Vec<_> = child.log.iter().cloned().chain([own.to_owned()]).collect();
    all_ran(names.chain([own.to_owned()])).log(log).effects(child.effects)
}

fn add_one(graph: &mut StateGraph<Tally>, one: &Node, kind: Kind) {
    let own = one.as_str().to_owned();
    let spec = graph.add_node(one.clone(), move |_: Snapshot<Tally>, cx: Context| work(kind, own.clone(), cx));
    spec.asks::<u64>(QUESTION);
    match kind {
        Kind::Fails => drop(spec.retry(Retry::exponential(3).after(Duration::from_millis(50)))),
        Kind::Deferred => drop(spec.deferred()),
        Kind::Plain | Kind::Slow | Kind::Once | Kind::Asks => {}
    }
}

/// What a node of a kind does.
async fn work(kind: Kind, own: String, cx: Context) -> Result<TallyUpdate, NodeError> {
    let step = |key: &'static str| {
        let cx = cx.clone();
        async move { cx.once(key, async { Ok::<u64, NodeError>(1) }).await }
    };
    let mut effects = 0;
    match kind {
        Kind::Plain | Kind::Deferred => {}
        Kind::Slow => {
            for _ in 0..6 {
                tokio::task::yield_now().await;
            }
        }
        Kind::Once => effects = step("one").await? + step("two").await?,
        Kind::Fails => {
            effects = step("one").await?;
            if cx.task().attempt < 3 {
                return Err(NodeError::retryable("not yet"));
            }
        }
        Kind::Asks => {
            effects = step("before").await?;
            let more: u64 = cx.ask(QUESTION, &own).await?;
            effects += step("after").await? * more;
        }
    }
    Ok(ran(&own).effects(effects))
}

fn add_sends(graph: &mut StateGraph<Tally>, number: u64, sends: Sends) -> Result<(Node, Node), String> {
    let (plan, join) = (node("plan", number), node("join", number));
    let task = Task::<u64>::owned(name("task", number));
    let own = task.as_str().to_owned();
    add_one(graph, &plan, Kind::Plain);
    add_one(graph, &join, Kind::Plain);
    if sends.child {
        // Says its own name, as a task of a kind does.
        let inner = task_graph(&own, sends.kind)?;
        graph.add_subgraph_task(
            task.clone(),
            inner,
            |_: u64, _: &Tally| Tally::update(),
            |outcome: ChildOutcome<Tally>| {
                let child = outcome.done()?;
                let names: Vec<_> = child.log.iter().cloned().collect();
                Ok::<_, NodeError>(all_ran(names.clone()).log(names).effects(child.effects))
            },
        );
    } else {
        let (again, half) = (task.clone(), sends.keys / 2);
        let spec = graph.add_task(task.clone(), move |key: u64, _: Snapshot<Tally>, cx: Context| {
            let (own, again) = (own.clone(), again.clone());
            async move {
                if sends.handled && !key.is_multiple_of(2) && key < sends.keys {
                    return Err(NodeError::terminal("odd"));
                }
                let update = work(sends.kind, own, cx).await?;
                let nested = sends.nested && key.is_multiple_of(2) && key / 2 < half;
                let step = if nested { Step::send([again.send(key + 100, key + 100)]) } else { Step::edges() };
                Ok::<Step<Tally>, NodeError>(step.with(update))
            }
        });
        spec.asks::<u64>(QUESTION).may_send(task.clone());
        if sends.kind == Kind::Fails {
            spec.retry(Retry::immediate(3));
        }
        if sends.handled {
            let own = name("handled", number);
            graph.add_error_handler(task.clone(), move |_: Failure, _: Snapshot<Tally>| {
                let own = own.clone();
                async move { Ok::<_, NodeError>(ran(&own)) }
            });
        }
    }
    let (to, keys) = (task.clone(), sends.keys);
    graph.add_sends(plan.clone(), task.clone(), move |_: &Tally| (0..keys).map(|key| to.send(key, key)).collect());
    graph.add_join(task, join.clone());
    Ok((plan, join))
}

/// A graph of one node with the name of its task.
fn task_graph(own: &str, kind: Kind) -> Result<Compiled<Tally>, String> {
    let mut graph = StateGraph::<Tally>::new(own);
    let one = Node::owned(own);
    add_one(&mut graph, &one, kind);
    graph.add_edge(START, one);
    graph.compile().map_err(|errors| errors.to_string())
}

fn add_loop(
    graph: &mut StateGraph<Tally>,
    number: u64,
    times: u64,
    goto: bool,
    body: &Block,
) -> Result<(Node, Node), String> {
    let [head, tail, out] = ["head", "tail", "out"].map(|part| node(part, number));
    add_one(graph, &head, Kind::Plain);
    let (first, last) = add(graph, body)?;
    graph.add_edge(head.clone(), first);
    let own = tail.as_str().to_owned();
    let done = move |ran: u64| ran.is_multiple_of(times);
    let back = head.clone();
    if goto {
        let (leave, own) = (out.clone(), own.clone());
        let spec = graph.add_node(tail.clone(), move |tally: Snapshot<Tally>| {
            let before = tally.ran.get(&own).copied().unwrap_or(0);
            let to = if done(before + 1) { leave.clone() } else { back.clone() };
            let step = Step::goto(to).with(ran(&own));
            async move { Ok::<Step<Tally>, NodeError>(step) }
        });
        spec.may_goto([head.clone(), out.clone()]);
    } else {
        add_one(graph, &tail, Kind::Plain);
        let leave = out.clone();
        graph.add_conditional_edges(tail.clone(), [head.clone(), out.clone()], move |tally: &Tally| {
            if done(tally.ran.get(&own).copied().unwrap_or(0)) { leave.clone() } else { back.clone() }
        });
    }
    graph.add_edge(last, tail);
    // Where a loop ends is silent: it runs once, however often the loop did.
    graph.add_node(out.clone(), |_: Snapshot<Tally>| async { Ok::<(), NodeError>(()) });
    Ok((head, out))
}
