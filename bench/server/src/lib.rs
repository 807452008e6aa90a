//! A small HTTP client, which costs little beside the server that it measures, and what a process has used.

pub mod http;
pub mod process;
