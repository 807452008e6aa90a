//! The Model Context Protocol: every assistant is a tool that a model can call.
//!
//! Both generations are served at `/mcp`, and over standard input and output: 2026-07-28, in which each request stands for
//! itself, and those with a handshake, up to 2025-11-25.
//!
//! | rule | where |
//! | --- | --- |
//! | which tools there are, and what they take and give | `tools.rs` |
//! | a call is a run on a thread of its own, followed to its end | `call.rs` |
//! | what a run tells is progress | `progress.rs` |
//! | how a run ended is a result | `outcome.rs` |
//! | a question is a form that a person fills in | `question.rs` |
//! | the form is sent as the client's generation has it, or the question is told as a text | `ask.rs` |
//! | what a client carries between a question and its answer cannot be read or forged | `seal.rs` |
//! | the tool `answer`, for clients without forms | `answer.rs` |
//! | how a thread stands between two runs | `thread.rs` |
//! | a long run is a task | `tasks.rs` |
//! | a request that is cancelled cancels its run | `cancelling.rs` |
//! | the methods of the protocol | `handler.rs` |
//! | sessions of clients outlive the process | `sessions.rs` |
//! | the service at `/mcp` | `service.rs` |
//! | standard input and output | `stdio.rs` |

mod answer;
mod ask;
mod call;
mod cancelling;
mod handler;
mod outcome;
mod progress;
mod question;
mod seal;
mod service;
mod sessions;
mod stdio;
mod tasks;
#[cfg(test)]
mod tests;
mod thread;
mod tools;

pub(crate) use service::routes;
