//! Calls, tools, conversations and memory at the public boundary.

mod asking;
mod converse;
mod memory;
mod parallel;
mod react;
mod tools;
