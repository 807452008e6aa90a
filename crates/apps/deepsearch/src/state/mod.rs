//! The state of a run: the search context of the original, typed.

mod brief;
mod interaction;
mod outline;
mod report;
mod result;
mod statement;
mod unwritten;

pub use brief::{ParentSummary, SectionBrief, StepNote};
pub use interaction::{InteractionMode, OutlineInteraction, RewriteRecord};
pub use outline::{Outline, Plan, RetrievalQuery, Section, Step, StepKind};
pub use report::{Report, SubReport, SubReportContent, TraceSource};
pub use result::{
    ChartDatum, ChartMessage, CitationMessage, CitationMessages, DatumSource, FinalResult, InferMessage, Verdict,
};
pub use statement::{StatementBasis, StatementMessage};
pub use unwritten::Unwritten;

use graphloom_core_graph::{Log, Shared, State};
use graphloom_llm::layers::Spent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::Config;
use crate::evidence::Document;
use crate::status::{Notice, Severity, StatusCode};

/// The languages that reports are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum Locale {
    /// Chinese.
    #[default]
    #[serde(rename = "zh-CN")]
    Chinese,
    /// English.
    #[serde(rename = "en-US")]
    English,
}

impl Locale {
    /// The tag of the language, such as `en-US`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chinese => "zh-CN",
            Self::English => "en-US",
        }
    }

    /// One of two texts.
    pub fn pick<'t>(self, chinese: &'t str, english: &'t str) -> &'t str {
        match self {
            Self::Chinese => chinese,
            Self::English => english,
        }
    }
}

/// What was said in the conversation: by the user, or by a node in its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChatTurn {
    /// The node or person, where it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `user` or `assistant`.
    pub role: String,
    /// What was said.
    pub content: String,
}

impl ChatTurn {
    /// What the user said.
    pub fn user(content: impl Into<String>) -> Self {
        Self { name: None, role: "user".into(), content: content.into() }
    }

    /// What a node said.
    pub fn assistant(name: impl Into<String>, content: impl Into<String>) -> Self {
        Self { name: Some(name.into()), role: "assistant".into(), content: content.into() }
    }
}

/// What was asked for. It does not change during a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Request {
    /// The question.
    pub query: String,
    /// The form of the report, in Markdown; empty for none.
    pub report_template: String,
    /// `research`; anything else is a parameter error.
    pub search_mode: String,
    /// The configuration as it was given, without secrets.
    config: Config,
    /// The date that prompts state, empty for none.
    pub today: String,
    /// What the program that began the run wants to find again.
    pub origin: Value,
}

impl Request {
    /// A question and its configuration, which loses its secrets here: a request is part of the state.
    pub fn new(query: impl Into<String>, config: Config) -> Self {
        Self { query: query.into(), config: config.without_secrets(), ..Self::default() }
    }

    /// The configuration as it was given, without secrets.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The search mode, `research` unless something else was asked for.
    pub fn mode(&self) -> &str {
        if self.search_mode.is_empty() { "research" } else { &self.search_mode }
    }

    /// Everything for which the request cannot run, as parameter errors.
    pub fn check(&self) -> Vec<Notice> {
        let mut wrong = Vec::new();
        if self.query.trim().is_empty() {
            wrong.push(Notice::fatal(StatusCode::Request, "the question is empty; say what shall be researched"));
        }
        if self.mode() != "research" {
            let message = format!("`search_mode` is `{}`; it takes `research`", self.search_mode);
            wrong.push(Notice::fatal(StatusCode::ParameterNotAllowed, message));
        }
        wrong.extend(self.config.check());
        wrong
    }
}

/// The state of the main graphs: `search_context` and `config` of the original. The main graphs' nodes read a
/// snapshot of it and return a [`SearchContextUpdate`].
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SearchContext {
    /// What was asked for.
    pub request: Shared<Request>,
    /// The id of the session: the thread's.
    pub session_id: String,
    /// The question.
    pub query: String,
    /// The conversation.
    #[state(append)]
    pub messages: Log<ChatTurn>,
    /// The language of the report.
    pub language: Locale,
    /// The form of the report, in Markdown; empty for none.
    pub report_template: String,
    /// `research`.
    pub search_mode: String,
    /// The merged configuration, without secrets.
    pub config: Shared<Config>,
    /// What was found for the question itself while its language was found.
    pub entry_search_results: Vec<Document>,
    /// The clarifying questions.
    pub questions: String,
    /// What the user answered to them.
    pub user_feedback: String,
    /// What the user said about outlines.
    #[state(append)]
    pub outline_interactions: Log<OutlineInteraction>,
    /// How many outlines were made.
    pub outline_executed_num: u32,
    /// The newest outline, with the plans of its sections when they are done.
    pub current_outline: Option<Shared<Outline>>,
    /// The outlines before it.
    #[state(append)]
    pub history_outlines: Log<Outline>,
    /// How many reports were made.
    pub report_generated_num: u32,
    /// The newest report.
    pub report: Option<Shared<Report>>,
    /// The sections that no model wrote.
    pub unwritten: Vec<Unwritten>,
    /// The documents that the sections rest on, section by section.
    pub all_classified_contents: Vec<Vec<Document>>,
    /// The reports before it.
    #[state(append)]
    pub history_reports: Log<Report>,
    /// How often the user had the report changed.
    pub feedback_interaction_count: u32,
    /// The whole result was sent to the user before the first change.
    pub feedback_snapshot_sent: bool,
    /// What was changed.
    pub rewrite_history: Vec<RewriteRecord>,
    /// The result, as far as it is known. Its `warning_info` and `exception_info` are filled by
    /// [`SearchContext::result`].
    pub final_result: FinalResult,
    /// What went wrong, in commit order.
    #[state(append)]
    pub notices: Log<Notice>,
    /// What a user should know, in commit order.
    #[state(append)]
    pub notes: Log<String>,
    /// What the calls have spent.
    #[state(reduce_with = Spent::keep_greater)]
    #[schemars(with = "Value")]
    pub spent: Spent,
}

impl SearchContext {
    /// The result with `warning_info` and `exception_info`: the notices' strings, one a line.
    pub fn result(&self) -> FinalResult {
        let of = |warning: bool| -> String {
            let chosen = self.notices.iter().filter(|notice| (notice.severity == Severity::Warning) == warning);
            chosen.map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        FinalResult { warning_info: of(true), exception_info: of(false), ..self.final_result.clone() }
    }

    /// The failure that ended the run.
    pub fn fatal(&self) -> Option<&Notice> {
        self.notices.iter().find(|notice| notice.is_fatal())
    }
}
