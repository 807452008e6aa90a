//! A typed client.

#![forbid(unsafe_code)]

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
