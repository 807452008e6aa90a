//! Working memory: what an agent keeps in mind while it works.

mod entry;
mod working;

pub use entry::{CompletionSignal, EntryKind, MemoryEntry};
pub use working::WorkingMemory;
