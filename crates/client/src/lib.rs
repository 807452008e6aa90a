//! A typed client of agent servers: Graphloom's own, and every server of the LangGraph protocol.
//!
//! - **Typed.** Requests and answers are structs, events are an enum. What a newer server adds is borne, and an error says
//!   what happened, where, and what to do.
//! - **Streams that go on.** A stream whose connection breaks is taken up where it broke, without a gap and without a
//!   repeat, or it ends with an error that says why it cannot be.
//! - **Remote graphs as nodes.** A [`RemoteGraph`] runs a graph of a server as a node of a local one: started once whatever
//!   dies, asked and answered here, failed and cancelled as a node is.
//!
//! ```no_run
//! use futures::StreamExt;
//! use graphloom_client::{Client, Command, NewRun, NewThread, StreamData, StreamMode};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new("http://127.0.0.1:2024")?;
//! let thread = client.threads().create(NewThread::new()).await?.thread_id;
//!
//! let run = NewRun::new("approval").input(json!({"request": "tea"})).stream_mode([StreamMode::Updates]);
//! let mut events = client.runs().stream(thread, run).await?;
//! while let Some(event) = events.next().await {
//!     let event = event?;
//!     for question in event.interrupts() {
//!         println!("asked: {}", question.value);
//!     }
//!     if let StreamData::Error(error) = event.data {
//!         println!("failed: {}", error.message);
//!     }
//! }
//!
//! // Now, or in another process next week.
//! let answer = NewRun::new("approval").command(Command::resume("approve"));
//! let done = client.runs().wait(thread, answer).await?;
//! assert_eq!(done.values["decision"], "approve");
//! # Ok(())
//! # }
//! ```
//!
//! # Calls
//!
//! A [`Client`] has [`assistants`](Client::assistants), [`threads`](Client::threads), [`runs`](Client::runs),
//! [`crons`](Client::crons) and [`store`](Client::store). Requests are built field by field, from [`NewRun`] to
//! [`ThreadSearch`]; what is not said is left to the server. What is tried again is said at [`Client`], with how much
//! patience in [`Options`].
//!
//! # Streams
//!
//! A [`RunStream`] is what one run tells, a [`ThreadStream`] what all runs of a thread do. Both are streams of
//! [`StreamEvent`]s. To go on, the server is asked for what follows the event before the last one, and what was told is left
//! out: so events that share an id are told once each, and missing ones are found out ([`ClientError::Gap`]).
//!
//! # The event protocol
//!
//! [`ThreadEvents`] has the commands and the channels of the event streaming protocol: start, answer, subscribe with replay.
//!
//! # Errors
//!
//! [`ClientError`] is the only error. [`is_temporary`](ClientError::is_temporary) says whether the same call may succeed
//! later.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

/// The examples of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/client.md")]
mod guide {}

mod calls;
mod client;
mod error;
mod model;
mod options;
mod protocol;
mod remote;
mod request;
mod stream;
mod transport;

pub use calls::{Assistants, Crons, RunResult, Runs, Store, Threads};
pub use client::Client;
pub use error::ClientError;
pub use model::{
    Assistant, AssistantId, Checkpoint, Cron, CronId, Interrupt, Item, Object, Page, Run, RunId, RunStatus, Schemas,
    StateTask, Thread, ThreadId, ThreadState, ThreadStatus,
};
pub use options::Options;
pub use protocol::{Channels, EventStream, ProtocolEvent, Response, RunStart, Subscription, ThreadEvents};
pub use remote::{RemoteGraph, RemoteNode, RemoteState};
pub use request::{
    AssistantChange, AssistantSearch, CancelAction, Command, CronChange, CronSearch, DisconnectMode, Durability, Goto,
    HistorySearch, IfExists, IfThreadMissing, ItemSearch, MultitaskStrategy, Namespace, NamespaceSearch, NewAssistant,
    NewCron, NewItem, NewRun, NewThread, Nodes, RunSearch, SortOrder, StateUpdate, StreamMode, ThreadChange,
    ThreadSearch, Ttl, TtlStrategy,
};
pub use stream::{
    CheckpointEvent, DebugEvent, MessageChunk, RunEnd, RunError, RunMetadata, RunStream, StreamData, StreamEvent,
    TaskEvent, ThreadStream,
};
