//! Names of nodes, typed keys for them, and packets sent to them.

use std::fmt::{self, Write as _};
use std::marker::PhantomData;
use std::sync::Arc;

use castaway::match_type;
use compact_str::CompactString;
use serde::Serialize;

use crate::bytes::RecordBytes;
use crate::state::codec;
use crate::timeout::Timeout;

/// The name of a node: fixed in the program, or made at run time.
#[derive(Clone, Debug, Eq)]
pub enum Name {
    /// Fixed in the program.
    Static(&'static str),
    /// Made at run time.
    Owned(Arc<str>),
}

/// The key of a node that is triggered by edges and gotos.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(Name);

/// The key of a node that is triggered by sends and takes an input of type `I`.
pub struct Task<I>(Name, PhantomData<fn(I)>);

/// One send: an input for a task node, under a key.
///
/// While a task of the same node and key is pending or in flight, a second send of that key does nothing.
#[derive(Clone, Debug)]
pub struct Packet {
    pub(crate) to: Name,
    pub(crate) key: CompactString,
    pub(crate) input: Result<RecordBytes, String>,
    /// In the place of the node's.
    pub(crate) timeout: Option<Box<Timeout>>,
}

/// Where a run begins: edges lead from it.
pub const START: Node = Node::named(START_NAME);

/// Where a branch ends: edges lead to it.
pub const END: Node = Node::named(END_NAME);

pub(crate) const START_NAME: &str = "__start__";
pub(crate) const END_NAME: &str = "__end__";

/// One or more keys of nodes, as a key, an array or a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name nodes",
    label = "not a node key",
    note = "pass a `Node`, a `Task<I>`, an array or `Vec` of them, or a tuple of up to eight"
)]
pub trait Targets {
    /// The names, in order.
    fn names(self) -> Vec<Name>;
}

impl Name {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Static(name) => name,
            Self::Owned(name) => name,
        }
    }
}

impl Node {
    /// The key of the node `name`.
    pub const fn named(name: &'static str) -> Self {
        Self(Name::Static(name))
    }

    /// The key of a node whose name is made at run time.
    pub fn owned(name: impl Into<Arc<str>>) -> Self {
        Self(Name::Owned(name.into()))
    }

    /// The node's name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(crate) fn name(&self) -> &Name {
        &self.0
    }

    pub(crate) fn into_name(self) -> Name {
        self.0
    }
}

impl<I> Task<I> {
    /// The key of the task node `name`.
    pub const fn named(name: &'static str) -> Self {
        Self(Name::Static(name), PhantomData)
    }

    /// The key of a task node whose name is made at run time.
    pub fn owned(name: impl Into<Arc<str>>) -> Self {
        Self(Name::Owned(name.into()), PhantomData)
    }

    /// The node's name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(crate) fn into_name(self) -> Name {
        self.0
    }
}

impl Packet {
    /// A send whose input is encoded, or could not be.
    pub(crate) fn of(to: Name, key: CompactString, input: Result<RecordBytes, String>) -> Self {
        Self { to, key, input, timeout: None }
    }

    /// The same send, whose task has this time limit in the place of its node's.
    #[must_use]
    pub fn timeout(mut self, timeout: Timeout) -> Self {
        self.timeout = Some(Box::new(timeout));
        self
    }
}

impl<I: Serialize> Task<I> {
    /// A send of `input` under `key`. An input that cannot be encoded fails the task that sends it.
    pub fn send(&self, key: impl fmt::Display, input: I) -> Packet {
        let input = codec::encode_in_place("input", &input).map_err(|error| error.to_string());
        Packet::of(self.0.clone(), key_of(&key), input)
    }
}

/// A key as it is written. Most are short numbers, which need no formatter.
fn key_of<K: fmt::Display>(key: &K) -> CompactString {
    let integer = |digits: &str| CompactString::new(digits);
    match_type!(key, {
        &u64 as key => integer(itoa::Buffer::new().format(*key)),
        &usize as key => integer(itoa::Buffer::new().format(*key)),
        &u32 as key => integer(itoa::Buffer::new().format(*key)),
        &i64 as key => integer(itoa::Buffer::new().format(*key)),
        &i32 as key => integer(itoa::Buffer::new().format(*key)),
        key => {
            let mut text = CompactString::default();
            // Writing to it does not fail.
            let _ = write!(text, "{key}");
            text
        }
    })
}

impl<I> Clone for Task<I> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<I> fmt::Debug for Task<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Task").field(&self.0.as_str()).finish()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.as_str(), other.as_str());
        // Most names that are compared are one constant.
        std::ptr::eq(one, other) || one == other
    }
}

impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Targets for Node {
    fn names(self) -> Vec<Name> {
        vec![self.0]
    }
}

impl<I> Targets for Task<I> {
    fn names(self) -> Vec<Name> {
        vec![self.0]
    }
}

impl<T: Targets, const N: usize> Targets for [T; N] {
    fn names(self) -> Vec<Name> {
        self.into_iter().flat_map(Targets::names).collect()
    }
}

impl<T: Targets> Targets for Vec<T> {
    fn names(self) -> Vec<Name> {
        self.into_iter().flat_map(Targets::names).collect()
    }
}

macro_rules! targets_for_tuples {
    ($(($($name:ident),+);)+) => {$(
        impl<$($name: Targets),+> Targets for ($($name,)+) {
            #[expect(non_snake_case, reason = "the type parameters name the parts")]
            fn names(self) -> Vec<Name> {
                let ($($name,)+) = self;
                [$($name.names()),+].concat()
            }
        }
    )+};
}

targets_for_tuples! {
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
    (A, B, C, D, E, F, G);
    (A, B, C, D, E, F, G, H);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_it_displays() {
        const WORK: Task<()> = Task::named("work");
        let long = "a key that is longer than what has room in place";
        let keys = [
            (WORK.send(0_u64, ()), u64::MIN.to_string()),
            (WORK.send(u64::MAX, ()), u64::MAX.to_string()),
            (WORK.send(7_usize, ()), 7.to_string()),
            (WORK.send(u32::MAX, ()), u32::MAX.to_string()),
            (WORK.send(i64::MIN, ()), i64::MIN.to_string()),
            (WORK.send(-1_i32, ()), (-1).to_string()),
            (WORK.send(3_u8, ()), 3_u8.to_string()),
            (WORK.send(1.0, ()), 1.0_f64.to_string()),
            (WORK.send("a", ()), "a".to_owned()),
            (WORK.send(long.to_owned(), ()), long.to_owned()),
        ];
        for (packet, shown) in keys {
            assert_eq!(packet.key, shown);
        }
    }
}
