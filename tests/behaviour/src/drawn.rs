//! Random graphs that end, and what they must have done then.
//!
//! A graph is drawn from blocks with one node where they begin and one where they end, so that how often each node runs
//! follows from the drawing, whatever the order of tasks.

use std::collections::BTreeMap;
use std::time::Duration;

use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, Failure, Mode, Node, NodeError, Persistence, Retry, START, Snapshot, StateGraph,
    Step, Task,
};

use crate::random::Random;
use crate::tally::{Tally, TallyUpdate, all_ran, ran};

/// The key under which drawn nodes ask, and to which a `u64` is an answer.
pub const QUESTION: &str = "how many";

/// A graph as it was drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// How tasks commit.
    pub mode: Mode,
    /// What follows START.
    pub body: Block,
}

/// A part of a graph.
#[derive(Clone, Debug)]
pub enum Block {
    /// One node.
    One(u64, Kind),
    /// One after the other.
    Chain(Vec<Self>),
    /// Beside each other, between a node and a join.
    Fan(u64, Vec<Self>),
    /// A task per key, then a join; some tasks send once more.
    Sends(u64, Sends),
    /// The block so many times; the last node goes back by a router, or by itself.
    Loop {
        /// The number of its first and its last node.
        number: u64,
        /// How often.
        times: u64,
        /// Whether the last node goes back by itself.
        goto: bool,
        /// What is repeated.
        body: Box<Self>,
    },
    /// One of two nodes.
    Either(u64, bool),
    /// A graph of its own, whose state is kept for all calls of the thread, or begins anew with each.
    Child {
        /// The number of its node.
        number: u64,
        /// How its tasks commit.
        mode: Mode,
        /// Whether its state is kept.
        kept: bool,
        /// What follows its START.
        body: Box<Self>,
    },
}

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Says that it ran.
    Plain,
    /// Lets others go first.
    Slow,
    /// Two durable steps.
    Once,
    /// Fails twice, after a durable step.
    Fails,
    /// Asks, between two durable steps.
    Asks,
    /// Says that it ran when nothing else is left.
    Deferred,
}

/// What tasks of a fan-out do.
#[derive(Clone, Copy, Debug)]
pub struct Sends {
    /// How many keys.
    pub keys: u64,
    /// What each does.
    pub kind: Kind,
    /// Whether the first half of them send to another key.
    pub nested: bool,
    /// Whether odd ones fail and are handled.
    pub handled: bool,
    /// Whether each is a graph of its own.
    pub child: bool,
}

impl Drawn {
    /// The graph of a seed.
    pub fn new(random: &mut Random) -> Self {
        let mode = random.choose(&[Mode::Barrier, Mode::Eager]);
        let mut drawing = Drawing { random, next: 0, inside: false };
        let length = 1 + drawing.random.below(3);
        let body = Block::Chain((0..length).map(|_| drawing.block(2)).collect());
        Self { mode, body }
    }

    /// The graph.
    ///
    /// # Errors
    /// What `compile` has against it, which is a fault of the drawing.
    pub fn compile(&self) -> Result<Compiled<Tally>, String> {
        compiled("drawn", self.mode, &self.body)
    }

    /// How often each name must have run at the end.
    pub fn expected(&self) -> BTreeMap<String, u64> {
        let mut expected = BTreeMap::new();
        self.body.expect(1, &mut expected);
        expected
    }

    /// How many results of durable steps the state must count at the end.
    pub fn effects(&self) -> u64 {
        self.body.effects(1)
    }
}

struct Drawing<'r> {
    random: &'r mut Random,
    next: u64,
    /// Whether it draws inside of a child.
    inside: bool,
}

impl Drawing<'_> {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn kind(&mut self) -> Kind {
        self.random.choose(&[Kind::Plain, Kind::Plain, Kind::Slow, Kind::Once, Kind::Once, Kind::Fails, Kind::Asks])
    }

    /// A block of at most so many levels.
    fn block(&mut self, depth: u64) -> Block {
        let number = self.number();
        match if depth == 0 { self.random.below(2) } else { self.random.below(9) } {
            0 if self.random.percent(15) => Block::One(number, Kind::Deferred),
            0 | 1 => Block::One(number, self.kind()),
            2 => Block::Chain((0..2).map(|_| self.block(depth - 1)).collect()),
            3 | 4 => {
                let width = 2 + self.random.below(2);
                Block::Fan(number, (0..width).map(|_| self.block(depth - 1)).collect())
            }
            5 | 6 => {
                let child = self.random.percent(20);
                let sends = Sends {
                    keys: self.random.below(5),
                    kind: self.kind(),
                    nested: !child && self.random.percent(30),
                    handled: !child && self.random.percent(30),
                    child,
                };
                Block::Sends(number, sends)
            }
            7 if self.random.percent(50) => Block::Either(number, self.random.percent(50)),
            7 => {
                let (times, goto) = (1 + self.random.below(3), self.random.percent(50));
                Block::Loop { number, times, goto, body: Box::new(self.block(depth - 1)) }
            }
            _ => {
                let mode = self.random.choose(&[Mode::Barrier, Mode::Eager]);
                // What is kept below a call belongs to that call: how often it is called does not follow from the drawing.
                let kept = !self.inside && self.random.percent(40);
                let outside = std::mem::replace(&mut self.inside, true);
                let body = Box::new(self.block(depth - 1));
                self.inside = outside;
                Block::Child { number, mode, kept, body }
            }
        }
    }
}

fn name(prefix: &str, number: u64) -> String {
    format!("{prefix}{number}")
}

fn node(prefix: &str, number: u64) -> Node {
    Node::owned(name(prefix, number))
}

impl Kind {
    fn effects(self) -> u64 {
        match self {
            Self::Plain | Self::Slow | Self::Deferred => 0,
            Self::Fails => 1,
            Self::Once | Self::Asks => 2,
        }
    }
}

impl Block {
    fn expect(&self, times: u64, expected: &mut BTreeMap<String, u64>) {
        let mut add = |prefix: &str, number: u64, times: u64| {
            if times > 0 {
                *expected.entry(name(prefix, number)).or_default() += times;
            }
        };
        match self {
            Self::One(number, _) => add("n", *number, times),
            Self::Chain(blocks) => blocks.iter().for_each(|block| block.expect(times, expected)),
            Self::Fan(number, blocks) => {
                add("fan", *number, times);
                add("join", *number, times);
                blocks.iter().for_each(|block| block.expect(times, expected));
            }
            Self::Sends(number, sends) => {
                add("plan", *number, times);
                add("join", *number, times);
                let tasks = sends.keys + if sends.nested { sends.keys / 2 } else { 0 };
                let handled = if sends.handled { sends.keys / 2 } else { 0 };
                add("task", *number, times * (tasks - handled));
                add("handled", *number, times * handled);
            }
            Self::Loop { number, times: often, body, .. } => {
                add("head", *number, times * often);
                add("tail", *number, times * often);
                body.expect(times * often, expected);
            }
            Self::Either(number, left) => {
                add("either", *number, times);
                add(if *left { "left" } else { "right" }, *number, times);
                add("then", *number, times);
            }
            Self::Child { number, kept, body, .. } => {
                add("child", *number, times);
                if *kept {
                    let mut once = BTreeMap::new();
                    body.expect(1, &mut once);
                    let (lines, effects) = (once.values().sum::<u64>(), body.effects(1));
                    expected.extend((1..=times).map(|call| (stand(*number, call * lines, call * effects), 1)));
                } else {
                    body.expect(times, expected);
                }
            }
        }
    }

    fn effects(&self, times: u64) -> u64 {
        match self {
            Self::One(_, kind) => times * kind.effects(),
            Self::Chain(blocks) | Self::Fan(_, blocks) => blocks.iter().map(|block| block.effects(times)).sum(),
            Self::Sends(_, sends) => {
                let tasks = sends.keys + if sends.nested { sends.keys / 2 } else { 0 };
                let handled = if sends.handled { sends.keys / 2 } else { 0 };
                times * (tasks - handled) * sends.kind.effects()
            }
            Self::Loop { times: often, body, .. } => body.effects(times * often),
            Self::Either(..) => 0,
            Self::Child { kept: true, .. } => 0,
            Self::Child { body, .. } => body.effects(times),
        }
    }
}

fn compiled(name: &str, mode: Mode, body: &Block) -> Result<Compiled<Tally>, String> {
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
fn stand(number: u64, lines: u64, effects: u64) -> String {
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
