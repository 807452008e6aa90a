//! What a person sends, and the rules that it is checked by, in their order.

use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::markup::Unit;
use crate::status::{Notice, StatusCode};

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The text gets longer.
    Expand,
    /// The text gets shorter.
    Shorten,
    /// The text gets better.
    Polish,
    /// Something is searched and worked in.
    SupplementarySearch,
    /// A subsection is changed or added.
    NewTask,
}

impl Action {
    /// The name of the action in a payload.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expand => "expand",
            Self::Shorten => "shorten",
            Self::Polish => "polish",
            Self::SupplementarySearch => "supplementary_search",
            Self::NewTask => "new_task",
        }
    }

    /// `action_category` of the reply.
    pub fn category(self) -> &'static str {
        match self {
            Self::Expand | Self::Shorten | Self::Polish => "synonym_rewrite",
            Self::SupplementarySearch => "supplementary_search",
            Self::NewTask => "new_task",
        }
    }

    fn of_name(name: &str) -> Option<Self> {
        [Self::Expand, Self::Shorten, Self::Polish, Self::SupplementarySearch, Self::NewTask]
            .into_iter()
            .find(|action| action.name() == name)
    }
}

/// How far a supplementary search reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The selected text.
    #[default]
    SelectedOnly,
    /// The selected text and what stands under the same heading.
    SelectedAndRelated,
}

impl Scope {
    /// The name of the scope in a payload.
    pub fn name(self) -> &'static str {
        match self {
            Self::SelectedOnly => "selected_only",
            Self::SelectedAndRelated => "selected_and_related",
        }
    }
}

/// A selection that stands in the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Its bytes in the report.
    #[schemars(with = "(usize, usize)")]
    pub range: Range<usize>,
    /// The unit that the payload counts in.
    pub unit: Unit,
    /// The text.
    pub text: String,
}

/// A payload that can be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A change of the selected text.
    Edit {
        /// The change.
        action: Action,
        /// Where.
        selection: Selection,
        /// What the person wants besides.
        instruction: String,
        /// How far a search reaches.
        scope: Scope,
    },
    /// The report as the person has edited it.
    Sync(String),
    /// No more changes.
    Finish,
}

/// Why a payload cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The code.
    pub code: StatusCode,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]{}", self.code, self.message)
    }
}

impl From<Rejection> for Notice {
    fn from(rejection: Rejection) -> Self {
        Self::exception(rejection.code, rejection.message)
    }
}

fn reject<T>(code: StatusCode, message: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection { code, message: message.into() })
}

/// Reads a payload, a JSON object or a text that holds one, for a report.
///
/// # Errors
/// The first rule that it breaks, in this order: an object (212406); `action` a text (212404); `user_instruction`,
/// `rewrite_scope` and `offset_unit` texts (212407); for `sync` a `selected_text` (212407); offsets whole numbers and
/// `selected_text` a text (212407); offsets in the report, in order, and not inside a character (212408); the text at
/// the offsets (212403); the action known (212404); the scope known, for a search (212410).
pub fn read(answer: &Value, report: &str) -> Result<Payload, Rejection> {
    let parsed;
    let fields = match answer {
        Value::Object(fields) => fields,
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(fields)) => {
                parsed = fields;
                &parsed
            }
            Ok(_) => return reject(StatusCode::FeedbackJson, "the payload is JSON, but no object"),
            Err(error) => return reject(StatusCode::FeedbackJson, format!("the payload is no JSON: {error}")),
        },
        _ => return reject(StatusCode::FeedbackJson, "the payload is no JSON object"),
    };
    let action = match fields.get("action") {
        Some(Value::String(action)) if !action.trim().is_empty() => action.trim(),
        Some(Value::String(_)) => return reject(StatusCode::FeedbackAction, "`action` is empty"),
        Some(_) => return reject(StatusCode::FeedbackAction, "`action` is no text"),
        None => return reject(StatusCode::FeedbackAction, "`action` is missing"),
    };
    let instruction = text(fields, "user_instruction")?.unwrap_or_default();
    let scope = text(fields, "rewrite_scope")?;
    let unit = match text(fields, "offset_unit")? {
        None => Unit::default(),
        Some(name) => match Unit::of_name(name.trim()) {
            Some(unit) => unit,
            None => {
                return reject(
                    StatusCode::FeedbackType,
                    format!("`offset_unit` is `{name}`, not `code_points`, `bytes` or `utf16`"),
                );
            }
        },
    };
    match action {
        "finish" => return Ok(Payload::Finish),
        "sync" => {
            return match text(fields, "selected_text")? {
                Some(text) if !text.trim().is_empty() => Ok(Payload::Sync(text)),
                _ => reject(StatusCode::FeedbackType, "`selected_text` is empty; for `sync` it is the whole report"),
            };
        }
        _ => {}
    }
    let selection = selection(fields, unit, report)?;
    let Some(action) = Action::of_name(action) else {
        return reject(
            StatusCode::FeedbackAction,
            format!(
                "`{action}` is none of `expand`, `shorten`, `polish`, `supplementary_search`, `new_task`, `sync`, `finish`"
            ),
        );
    };
    let scope = match (action, scope.as_deref().map(str::trim)) {
        (Action::SupplementarySearch, Some("selected_only") | None) => Scope::SelectedOnly,
        (Action::SupplementarySearch, Some("selected_and_related")) => Scope::SelectedAndRelated,
        (Action::SupplementarySearch, Some(other)) => {
            let message = format!("`rewrite_scope` is `{other}`, not `selected_only` or `selected_and_related`");
            return reject(StatusCode::FeedbackScope, message);
        }
        _ => Scope::default(),
    };
    Ok(Payload::Edit { action, selection, instruction, scope })
}

/// Whether a payload asks for a change, readable or not: only `sync` and `finish` do not count.
pub(super) fn counts(answer: &Value) -> bool {
    let action = match answer {
        Value::Object(fields) => fields.get("action").cloned(),
        Value::String(text) => serde_json::from_str::<Value>(text).ok().and_then(|value| value.get("action").cloned()),
        _ => None,
    };
    !matches!(action.as_ref().and_then(Value::as_str).map(str::trim), Some("sync" | "finish"))
}

fn text(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, Rejection> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => reject(StatusCode::FeedbackType, format!("`{name}` is no text")),
    }
}

fn selection(fields: &Map<String, Value>, unit: Unit, report: &str) -> Result<Selection, Rejection> {
    let number = |name: &str| match fields.get(name) {
        Some(Value::Number(number)) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Ok(i128::from(number)),
            (None, Some(number)) => Ok(i128::from(number)),
            (None, None) => reject(StatusCode::FeedbackType, format!("`{name}` is no whole number")),
        },
        Some(_) => reject(StatusCode::FeedbackType, format!("`{name}` is no whole number")),
        None => reject(StatusCode::FeedbackType, format!("`{name}` is missing")),
    };
    let (start, end) = (number("start_offset")?, number("end_offset")?);
    let Some(text) = text(fields, "selected_text")? else {
        return reject(StatusCode::FeedbackType, "`selected_text` is missing");
    };
    let length = unit.length(report);
    let range = match (usize::try_from(start), usize::try_from(end)) {
        (Ok(start), Ok(end)) if start < end && end <= length => unit.bytes(report, start, end),
        _ => {
            let message = format!("the offsets {start} and {end} are not in order within 0 and {length}");
            return reject(StatusCode::FeedbackOffsetRange, message);
        }
    };
    let Some(range) = range else {
        let message = format!("the offsets {start} and {end} are inside of a character");
        return reject(StatusCode::FeedbackOffsetRange, message);
    };
    if report[range.clone()] != text {
        let message = "the text at the offsets is another than `selected_text`; was the report changed, or are offsets counted in another unit?";
        return reject(StatusCode::FeedbackOffsetMismatch, message);
    }
    Ok(Selection { range, unit, text })
}
