//! Calls, tools, conversations and memory at the public boundary.

mod asking;
mod compaction;
mod converse;
mod memory;
mod parallel;
mod react;
mod skills;
mod team;
mod tools;
