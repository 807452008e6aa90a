//! The command line that all Graphloom applications share.
//!
//! - [`BaseArgs`], [`ModelArgs`], [`SourceArgs`] and others are the options in groups; [`main`] reads them, runs the application, tells errors with their causes, and ends
//!   with an [`ExitStatus`].
//! - [`build_models`] and [`open_sources`] make what the options name; [`Session::store`] keeps runs in a file of a
//!   [`DataDir`], encrypted or not, or in PostgreSQL; [`follow`] drives a run, shows it, and stops it on Ctrl-C; [`AnswerArgs`] answers its questions.
//! - [`Progress`] writes progress to stderr and nothing but the result to stdout; [`terminal`] makes what it writes
//!   harmless to a terminal; [`Prompt`] asks a person there, line by line; [`config`] layers parameters; [`frame`] is what
//!   every program does with its runs, `Studio` shows a run in a browser while it lasts, [`runs`] lists, shows and draws
//!   stored runs of any application.
//!
//! ```no_run
//! use clap::Parser;
//! use graphloom_cli::{BaseArgs, ExitStatus, Failure, ModelArgs, Session, build_models};
//! use graphloom_llm::ChatRequest;
//!
//! /// Answers one question
//! #[derive(Parser)]
//! struct Args {
//!     /// The question
//!     question: String,
//!     #[command(flatten)]
//!     models: ModelArgs,
//!     #[command(flatten)]
//!     base: BaseArgs,
//! }
//!
//! impl AsRef<BaseArgs> for Args {
//!     fn as_ref(&self) -> &BaseArgs {
//!         &self.base
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     graphloom_cli::main(|args: Args, session: Session| async move {
//!         let set = build_models(&args.models, &session.dirs()?, &session.progress, Default::default()).await?;
//!         session.progress.phase("thinking");
//!         let answer = set.models.role("default").chat(ChatRequest::user(args.question)).await?;
//!         let spent = set.ledger.spent();
//!         session.progress.result(ExitStatus::Done, &answer.text(), &spent)?;
//!         Ok::<_, Failure>(ExitStatus::Done)
//!     })
//! }
//! ```
//!
//! # Events of `--json`
//! Every line is an object with `v` and `event`. Events of the run are [`graphloom_core_graph::Event`]s. The last line is
//! `{"v":1,"event":"result","status":…}` with `result`, or with `error`: a list of messages from the outside in.
//!
//! # Variables
//! `GRAPHLOOM_MODEL`, `GRAPHLOOM_HOME` and `GRAPHLOOM_STORE` stand for `--model`, `--data-dir` and `--store`;
//! `GRAPHLOOM_STORE_KEY` has the keys of the encrypted store and `GRAPHLOOM_POSTGRES_URL` the address of PostgreSQL, or, with
//! `_FILE` at their ends, the file that does; `OPENALEX_API_KEY` is the key of OpenAlex;
//! `LLM_API_KEY` is the key of the main `compatible` model, `LLM_API_KEY_FOR` names other hosts that it is for, and
//! `LLM_API_KEY_ROLE` is the key of a role's own server; `LLM_BASE_URL` with `LLM_MODEL` names a model where none is given;
//! `LLM_PROBE=0` asks no ports of this machine, `LLM_PROBE=PORT` others than the usual ones; `GRAPHLOOM_NO_PIP=1` never
//! fetches weights through `pip`; `RUST_LOG` says what is logged.
//!
//! # Files
//! [`config::ConfigFiles`] reads `graphloom.toml` of the user and of the project; [`Session::files`] has what they say.
//!
//! What holds prompts and results is for its user only: [`private`] makes directories of mode 0700 and files of 0600.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod config;
pub mod frame;
mod outbound;
pub mod private;
pub mod runs;
pub mod terminal;

mod answers;
mod args;
mod corpus;
mod data_dir;
mod documents;
mod drawing;
mod error;
mod interrupt;
mod line;
mod log;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_search;
mod models;
mod progress;
mod prompt;
mod search;
mod search_tool;
mod session;
mod sources;
mod spans;
mod start;
mod status;
mod store;
#[cfg(feature = "studio")]
mod studio;
mod table;
mod threads;

pub use answers::{AnswerArgs, CheckedAnswers};
pub use args::{
    BaseArgs, ConsentArgs, ModelArgs, OptionGroup, OutputArgs, ParameterArgs, PromptArgs, RunArgs, SourceArgs,
    ThreadArgs,
};
pub use corpus::open_corpus;
pub use data_dir::DataDir;
pub use documents::{Documents, open_documents};
pub use drawing::{GraphFormat, svg};
pub use error::CliError;
pub use interrupt::{FollowedRun, Interrupt, SignalSubscription, follow};
pub use log::LogFormat;
#[cfg(feature = "mcp")]
pub use mcp::{McpArgs, mcp_config, mcp_logins, mcp_servers};
#[cfg(feature = "mcp")]
pub use mcp_search::McpSearch;
pub use models::{
    Chosen, ModelSet, Reason, ServerOptions, build_embedder, build_models, build_models_with, choose_models,
    find_servers, key_plan, no_models, usable_model,
};
#[cfg(feature = "embedded")]
pub use models::{fetch_options, fetch_weights, installed_weights, known_model};
pub use outbound::OutboundArgs;
pub use progress::{JSON_VERSION, Progress};
pub use prompt::{Prompt, Typed, next_line};
pub use search::SearchEngine;
pub use search_tool::search_tool;
pub use session::{Session, quoted};
pub use sources::{NetworkOptions, Sources, nothing_searched, open_engines, open_sources};
pub use start::main;
pub use status::{ExitStatus, Failure};
pub use store::{Lease, RunStore, StoreKind};
#[cfg(feature = "studio")]
pub use studio::{Studio, StudioArgs};
pub use table::table;
pub use threads::{check_thread_id, new_thread_id, time_text};
