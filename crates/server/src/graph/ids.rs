//! Ids of tasks, questions and checkpoints as clients see them.
//!
//! Clients of the LangGraph wire want UUIDs. Those of tasks and questions are hashes of the runtime's own ids, the same
//! whenever they are read. Those of checkpoints hold the number of the checkpoint, so that they sort as the checkpoints do and
//! can be read back (UUID version 8, RFC 9562 §5.8: the number in the first 48 bits, a hash of thread and namespace in the
//! rest).

use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

/// A place in the history of a namespace.
///
/// An input is one checkpoint of the runtime, and two of the LangGraph wire: before the values are folded, with `__start__` as
/// what is next, and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The checkpoint's number.
    pub(crate) number: u64,
    /// Whether the values of the input that made it are folded in already. True for all other checkpoints.
    pub(crate) is_folded: bool,
}

impl Position {
    pub(crate) fn of(number: u64) -> Self {
        Self { number, is_folded: true }
    }

    /// The place before the values of the input that made this checkpoint.
    pub(crate) fn before_input(number: u64) -> Self {
        Self { number, is_folded: false }
    }

    /// The step of the checkpoint on the LangGraph wire, where so many super-steps were committed: an input has the step before.
    pub(crate) fn step(self, committed: u64) -> i64 {
        let step = i64::try_from(committed).unwrap_or(i64::MAX);
        if self.is_folded { step } else { step - 1 }
    }

    /// The id of the checkpoint.
    pub(crate) fn id(self, thread: &str, ns: &str) -> Uuid {
        let place = (self.number << 1) | u64::from(self.is_folded);
        let [.., a, b, c, d, e, f] = place.to_be_bytes();
        let mut bytes = fingerprint(thread, ns);
        bytes[..6].copy_from_slice(&[a, b, c, d, e, f]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// Reads the id of a checkpoint of this namespace; none for any other id.
    pub(crate) fn read(id: Uuid, thread: &str, ns: &str) -> Option<Self> {
        let [a, b, c, d, e, f, ..] = *id.as_bytes();
        let place = u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
        let position = Self { number: place >> 1, is_folded: place & 1 == 1 };
        (position.id(thread, ns) == id).then_some(position)
    }
}

/// The id by which clients know a thread that has a name of its own: the name itself, where it is such an id.
pub(crate) fn thread_id(name: &str) -> Uuid {
    let id = Uuid::parse_str(name).ok().filter(|id| id.to_string() == name);
    id.unwrap_or_else(|| uuid::Builder::from_custom_bytes(fingerprint(name, "")).into_uuid())
}

fn fingerprint(thread: &str, ns: &str) -> [u8; 16] {
    xxh3_128(format!("{thread}\0{ns}").as_bytes()).to_be_bytes()
}

/// The id of a task, by its path: the path that events tell.
pub(crate) fn task_id(thread: &str, path: &str) -> Uuid {
    uuid::Builder::from_custom_bytes(fingerprint(thread, path)).into_uuid()
}

/// The id of an open question: 32 hexadecimal digits.
pub(crate) fn interrupt_id(thread: &str, question: &str) -> String {
    format!("{:032x}", xxh3_128(format!("{thread}\0?{question}").as_bytes()))
}

/// A namespace of the runtime as clients see it: `child:<task id>|grand:<task id>`; `""` for the root graph. A subgraph that
/// is kept per thread has no task in its name.
pub(crate) fn namespace(thread: &str, ns: &str) -> String {
    let mut seen = String::new();
    let mut path = String::new();
    for segment in ns.split('/').filter(|segment| !segment.is_empty()) {
        for (text, by) in [(&mut path, '/'), (&mut seen, '|')] {
            if !text.is_empty() {
                text.push(by);
            }
        }
        path.push_str(segment);
        match segment.rsplit_once(':') {
            Some((node, _)) => seen.push_str(&format!("{node}:{}", task_id(thread, &path))),
            None => seen.push_str(segment),
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_of_checkpoints_sort_as_the_checkpoints_and_are_read_back(
            (one, other) in (1_u64..1 << 40, 1_u64..1 << 40), (folded, also) in (any::<bool>(), any::<bool>()),
        ) {
            let (one, other) =
                (Position { number: one, is_folded: folded }, Position { number: other, is_folded: also });
            let (first, second) = (one.id("t", ""), other.id("t", ""));
            prop_assert_eq!(first.to_string().cmp(&second.to_string()), one.cmp(&other));
            prop_assert_eq!(Position::read(first, "t", ""), Some(one));
            prop_assert_eq!(Position::read(first, "u", ""), None);
            prop_assert_eq!(Position::read(first, "t", "child:1.0"), None);
        }
    }

    #[test]
    fn a_namespace_names_the_task_of_each_floor() {
        let child = task_id("t", "child:3.0");
        let grand = task_id("t", "child:3.0/grand:1.0");
        assert_eq!(namespace("t", "child:3.0/grand:1.0"), format!("child:{child}|grand:{grand}"));
        assert_eq!(namespace("t", "kept/inner"), "kept|inner");
        assert_eq!(namespace("t", ""), "");
    }

    #[test]
    fn the_id_of_a_question_is_32_digits() {
        let id = interrupt_id("t", "review:2.0#decision");
        assert!(id.len() == 32 && id.chars().all(|c| c.is_ascii_hexdigit()), "{id}");
        assert_ne!(id, interrupt_id("u", "review:2.0#decision"));
    }
}
