//! Spans of a server in a process of its own, as a collector gets them.

#![expect(clippy::unwrap_used, reason = "what a test cannot do without ends it at its place")]

mod collector;
mod outage;
mod process;
mod restart;
mod traces;
