//! What must have run at the end.

use std::collections::BTreeMap;

use super::graph::stand;
use super::{Block, Kind, name};

impl Kind {
    pub(super) fn effects(self) -> u64 {
        match self {
            Self::Plain | Self::Slow | Self::Deferred => 0,
            Self::Fails => 1,
            Self::Once | Self::Asks => 2,
        }
    }
}

impl Block {
    pub(super) fn expect(&self, times: u64, expected: &mut BTreeMap<String, u64>) {
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

    pub(super) fn effects(&self, times: u64) -> u64 {
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
