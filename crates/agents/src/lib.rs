//! Agents: build the input, call a model, parse the reply; chosen by a profile file.
//!
//! - [`Prompts`] renders prompt files (minijinja) that are built in and can be overridden by a directory; a variable
//!   nobody set is an error that names the template.
//! - [`Profile`] is a TOML file that says which template, model role, temperature and number of tries serve an
//!   (action, task type).
//! - [`Agent`] makes the call, asks again with the parser's complaint a bounded number of times, and returns the value
//!   together with an [`Exchange`]: everything that was sent and came back.
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
//! # Prompt files
//! A template is one file. A line that is exactly `{# system #}`, `{# user #}` or `{# assistant #}` starts a message of
//! that role; the split happens before anything is filled in, so no text from outside can start a message. Material from
//! outside goes through the filter `fenced`, which wraps it with its provenance and keeps it from closing the fence.
//! A file whose name starts with `_` is a part for `{% include %}`.

#![forbid(unsafe_code)]

mod agent;
mod error;
mod exchange;
mod models;
mod profile;
mod prompts;

pub use agent::{Agent, Answer, Ask, Parsed, Reply};
pub use error::AgentError;
pub use exchange::{Attempt, Exchange};
pub use models::Models;
pub use profile::{AgentSpec, Profile};
pub use prompts::{Prompts, Rendered};
