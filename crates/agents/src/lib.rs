//! Agents: build the input, call a model, parse the reply or let it use tools; chosen by a profile file.
//!
//! - [`Agent`] makes one call by a [`Profile`] and [`Prompts`] files, asks again with the parser's complaint, and returns
//!   the value with an [`Exchange`]: everything that was sent and came back.
//! - [`converse()`] lets a model use the tools of a [`ToolRegistry`] until it answers, with models that call tools and with
//!   those that do not, and returns a [`Transcript`].
//! - [`react`] is that loop as a graph, with approvals that wait for a person and outcomes that outlive a kill.
//! - [`team`] is a lead and the agents under it as a graph, who hand on work to each other.
//! - [`Strategy`] says how a model is worked with; [`guided`] is for models too small to write.
//! - [`WorkingMemory`] is what an agent keeps in mind; [`ReviewRequest`] and [`Verdict`] put a person between what it
//!   proposes and what is done.
//!
//! ```
//! use graphloom_agents::{
//!     Conversation, Direct, Prompts, Risk, StopReason, ToolError, ToolOutput, ToolRegistry, TypedTool, converse, typed,
//! };
//! use graphloom_llm::scripted::Reply;
//! use graphloom_llm::{Message, Role, Scripted, ToolCall};
//! use serde_json::json;
//!
//! struct Tide;
//!
//! /// Where and when.
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct TideArguments {
//!     /// The name of the harbour.
//!     harbour: String,
//! }
//!
//! impl TypedTool for Tide {
//!     type Arguments = TideArguments;
//!     const NAME: &'static str = "tide";
//!     const DESCRIPTION: &'static str = "The next high tide in a harbour.";
//!     const RISK: Risk = Risk::Read;
//!
//!     async fn run(&self, arguments: TideArguments) -> Result<ToolOutput, ToolError> {
//!         match arguments.harbour.as_str() {
//!             "Lisbon" => Ok(ToolOutput::new("high tide at 14:10").with_data(json!({ "at": "14:10" }))),
//!             other => Err(ToolError::refused(format!("there is no harbour `{other}`; there is `Lisbon`"))),
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), graphloom_agents::AgentError> {
//! let mut tools = ToolRegistry::new(Risk::Read);
//! tools.register(typed(Tide))?;
//! // In place of a real model: one that calls the tool and then answers.
//! let model = Scripted::from_fn(|request| {
//!     let arguments = json!({ "harbour": "Lisbon" });
//!     Ok(match request.messages.last().map(|message| message.role) {
//!         Some(Role::Tool) => Reply::text("It is high tide at 14:10."),
//!         _ => Reply::tools([ToolCall { id: "1".into(), name: "tide".into(), arguments }]),
//!     })
//! });
//! let prompts = Prompts::new(&[])?;
//! let question = vec![Message::user("When is high tide in Lisbon?")];
//! let transcript = converse(Conversation::new(&model, &tools, &prompts, question), &Direct).await?;
//! assert_eq!(transcript.stop, StopReason::Answered);
//! assert_eq!(transcript.answer.as_deref(), Some("It is high tide at 14:10."));
//! assert!(transcript.calls[0].outcome.is_success());
//! # Ok(()) }
//! ```
//!
//! # Prompt files
//! A template is one file. A line that is exactly `{# system #}`, `{# user #}` or `{# assistant #}` starts a message of
//! that role; the split happens before anything is filled in, so no text from outside can start a message. Material from
//! outside goes through the filter `fenced`, which [fences](graphloom_llm::fence) it with its provenance; examples that a
//! prompt shows in the same form go through `fenced_example`.
//! A file whose name starts with `_` is a part for `{% include %}`. The templates of this crate are `agents/feedback`,
//! `agents/result`, `agents/tools`, `agents/last_turn`, `agents/summary`, `agents/earlier` and `agents/task`, which
//! gives an agent its task; an application can replace them.
//!
//! # Profiles
//! A [`Profile`] is a TOML file that says which template, model role, temperature and number of tries serve an (action,
//! task type).
//!
//! ```
//! use graphloom_agents::{Profile, Prompts};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), graphloom_agents::AgentError> {
//! let prompts = Prompts::new(&[("demo/atom", "{# system #}\nYou judge tasks.\n{# user #}\nTask: {{ goal }}\n")])?;
//! let profile: Profile = Profile::parse(
//!     r#"
//!     name = "demo"
//!     [agents.plan.write]
//!     template = "demo/atom"
//!     temperature = 0.1
//!     "#,
//! )?;
//! let spec = profile.agent("plan", "write")?;
//! let rendered = prompts.render(&spec.template, &json!({ "goal": "a report on tides" }))?;
//! assert_eq!(rendered.messages.len(), 2);
//! assert_eq!(rendered.messages[1].joined_text(), "Task: a report on tides");
//! # Ok(()) }
//! ```
//!
//! # Small models
//! A model that answers inside a grammar in this process is [`Strategy::Guided`]: its agents get the template `small` of
//! their profile, and [`guided`] has what an application leads it with: closed questions, sentences under labels, and
//! paragraphs that quote what it chose.
//!
//! # Tools
//! A [`TypedTool`] has arguments of a Rust type, from which the schema comes that the model sees; [`typed`] makes a
//! [`Tool`] of it. The [`ToolRegistry`] holds an allow-list and a ceiling of [`Risk`], reads arguments tolerantly, checks
//! them, limits the time of a call, asks a person where it is told to ([`Confirm`]), and refuses a call that failed twice
//! ([`FailedCalls`]). Whatever goes wrong is an observation for the model. A [`ToolSource`] has tools that come and go, such
//! as those of a server.
//!
//! # Skills
//! [`Skills`] are folders with instructions, which a model loads by a tool when it needs them.
//!
//! # Durability
//! [`DurableCalls`] makes every call of a task a durable step, whoever makes it, with [`CallHooks`] around it, a time
//! limit, and pieces of a reply while it is made. It tells each call to those who follow the run, as a [`ToldModel`] does:
//! model, tokens, cost, time, and what is left of the budget. [`converse()`] makes each turn a step of a [`Durable`]: a
//! graph's `Context`, so that a turn that was paid for is not asked again after a crash, or [`Direct`].
//!
//! # Long conversations
//! [`compact()`] puts a summary in the place of old messages where a conversation outgrows its model's window; a call of a
//! tool and its results are never parted. [`react`] does so by itself.
//!
//! # Working memory
//! [`WorkingMemory`] is a value for a graph's state: [`WorkingMemory::remember_all`] is its reducer.
//!
//! # Review gates
//! A node asks `cx.ask::<Verdict>("review", &request)` with a [`ReviewRequest`]; [`ReviewRequest::decide`] says which
//! items were approved.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod agent;
mod closed;
mod compaction;
mod converse;
mod durable;
mod error;
mod exchange;
pub mod guided;
mod memory;
mod models;
mod notes;
mod profile;
mod prompts;
pub mod react;
mod review;
mod seed;
mod skill;
mod strategy;
pub mod team;
mod tool;

pub use agent::{Agent, Answer, Ask, Parsed, Reply};
pub use compaction::{Compacted, Compaction, CompactionOptions, compact};
pub use converse::{
    CallRecord, Conversation, ConverseOptions, Direct, Durable, Progress, StopReason, Transcript, converse,
};
pub use durable::{
    AnswerSource, BudgetUse, Call, CallHooks, CallKind, CallReply, DurableCalls, MODEL_CALL, ModelCall, Piece,
    StepKeys, ToldModel, logged_step,
};
pub use error::AgentError;
pub use exchange::{Attempt, Exchange};
pub use memory::{CompletionSignal, EntryKind, MemoryEntry, WorkingMemory};
pub use models::Models;
pub use profile::{AgentSpec, Profile};
pub use prompts::{Prompts, Rendered};
pub use review::{ReviewItem, ReviewRequest, Reviewed, Verdict};
pub use seed::seed_of;
pub use skill::{Skill, Skills};
pub use strategy::Strategy;
pub use tool::{
    Confirm, Confirmation, Decision, FailedCalls, Risk, Tool, ToolError, ToolOutcome, ToolOutput, ToolRegistry,
    ToolSource, TypedTool, typed,
};
