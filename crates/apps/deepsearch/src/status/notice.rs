//! What went wrong in a run, as a value and as the string `[code]message`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StatusCode;

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Severity {
    /// The run goes on; the string goes to `warning_info`.
    Warning,
    /// The run goes on without something; the string is appended to `exception_info`.
    Exception,
    /// The run ends; the string goes to `exception_info` and the end is an error.
    Fatal,
}

/// Something that went wrong. Its [`Display`](fmt::Display) is `[code]message`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Notice {
    /// The code.
    pub code: StatusCode,
    /// How much it matters.
    pub severity: Severity,
    /// What happened.
    pub message: String,
    /// The section where it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
}

impl Notice {
    /// A notice after which the run goes on.
    pub fn warning(code: StatusCode, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Warning, message: message.into(), section: None }
    }

    /// A failure after which the run goes on.
    pub fn exception(code: StatusCode, message: impl Into<String>) -> Self {
        Self { severity: Severity::Exception, ..Self::warning(code, message) }
    }

    /// A failure that ends the run.
    pub fn fatal(code: StatusCode, message: impl Into<String>) -> Self {
        Self { severity: Severity::Fatal, ..Self::warning(code, message) }
    }

    /// The same, in a section.
    #[must_use]
    pub fn in_section(mut self, section: impl Into<String>) -> Self {
        self.section = Some(section.into());
        self
    }

    /// Whether it ends the run.
    pub fn is_fatal(&self) -> bool {
        self.severity == Severity::Fatal
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.code)?;
        if let Some(section) = &self.section {
            write!(f, "section {section}: ")?;
        }
        f.write_str(&self.message)
    }
}
