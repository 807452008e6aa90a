//! Random graphs that end, and what they must have done then.
//!
//! A graph is drawn from blocks with one node where they begin and one where they end, so that how often each node runs
//! follows from the drawing, whatever the order of tasks.

mod expected;
mod graph;

use std::collections::BTreeMap;

use graphloom_core_graph::{Compiled, Mode, Node};

use crate::random::Random;
use crate::tally::Tally;

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
        graph::compiled("drawn", self.mode, &self.body)
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
