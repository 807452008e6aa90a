//! Each application behind a server, on a scripted model and through a socket: a run, its questions and answers, what can be
//! downloaded.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod client;
mod deepsearch;
mod drawings;
mod meters;
mod obsius;
mod pocketflow;
mod writehere;
