//! Rules of a script file.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::Reply;
use crate::{FinishReason, ModelError, Part, ToolCall, Usage};

/// One rule: which requests it answers, and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// Texts that must all stand in the prompt. Without any, the rule answers the next request that comes.
    #[serde(default)]
    when: OneOrMany,
    /// Texts of which none may stand in the prompt.
    #[serde(default)]
    unless: OneOrMany,
    /// How often the rule answers. When unset, a rule with a `when` answers without limit, and a rule without one
    /// answers once.
    times: Option<u32>,
    reply: Option<String>,
    json: Option<Value>,
    tool_calls: Option<Vec<ToolCall>>,
    error: Option<ModelError>,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    piece: Option<usize>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
    #[default]
    Nothing,
}

impl OneOrMany {
    fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
            Self::Nothing => &[],
        }
    }
}

/// Rules in file order, each with the number of its answers so far.
#[derive(Debug)]
pub(super) struct Rules {
    rules: Vec<(Rule, u32)>,
}

impl Rules {
    /// Reads a JSON array of rules, or one rule per line. Empty lines and lines that begin with `//` are skipped.
    pub(super) fn parse(text: &str, file: &Path) -> Result<Self, ModelError> {
        let wrong = |place: String, message: String| ModelError::Setup {
            message: format!("the script `{}` is wrong {place}: {message}", file.display()),
        };
        let mut rules = Vec::new();
        if text.trim_start().starts_with('[') {
            let all: Vec<Rule> = serde_json::from_str(text)
                .map_err(|error| wrong(format!("in line {}", error.line()), error.to_string()))?;
            rules.extend(all);
        } else {
            for (index, line) in text.lines().enumerate() {
                let line = line.trim();
                if line.is_empty() || line.starts_with("//") {
                    continue;
                }
                let rule = serde_json::from_str(line)
                    .map_err(|error| wrong(format!("in line {}", index + 1), error.to_string()))?;
                rules.push(rule);
            }
        }
        if rules.is_empty() {
            return Err(wrong("as a whole".to_owned(), "it holds no rule".to_owned()));
        }
        for (index, rule) in rules.iter().enumerate() {
            if rule.answers() != 1 {
                let message = "a rule needs exactly one of `reply`, `json`, `tool_calls`, `error`".to_owned();
                return Err(wrong(format!("in rule {}", index + 1), message));
            }
        }
        Ok(Self { rules: rules.into_iter().map(|rule| (rule, 0)).collect() })
    }

    /// The answer of the first rule that fits and is not used up.
    pub(super) fn answer(&mut self, prompt: &str) -> Option<Result<Reply, ModelError>> {
        let (rule, used) = self.rules.iter_mut().find(|(rule, used)| rule.fits(prompt) && *used < rule.limit())?;
        *used += 1;
        Some(rule.give())
    }
}

impl Rule {
    fn answers(&self) -> usize {
        [self.reply.is_some(), self.json.is_some(), self.tool_calls.is_some(), self.error.is_some()]
            .into_iter()
            .filter(|given| *given)
            .count()
    }

    fn fits(&self, prompt: &str) -> bool {
        self.when.texts().iter().all(|text| prompt.contains(text.as_str()))
            && !self.unless.texts().iter().any(|text| prompt.contains(text.as_str()))
    }

    fn limit(&self) -> u32 {
        self.times.unwrap_or(if self.when.texts().is_empty() { 1 } else { u32::MAX })
    }

    fn give(&self) -> Result<Reply, ModelError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let mut reply = match (&self.reply, &self.json) {
            (Some(text), _) => Reply::text(text.clone()),
            (None, Some(value)) => Reply::text(value.to_string()),
            (None, None) => Reply::text(""),
        };
        if let Some(calls) = &self.tool_calls {
            reply.parts = calls.iter().cloned().map(Part::ToolCall).collect();
            reply.finish = FinishReason::ToolCalls;
        }
        if let Some(finish) = self.finish.clone() {
            reply.finish = finish;
        }
        reply.usage = self.usage;
        if let Some(piece) = self.piece {
            reply.piece = piece;
        }
        Ok(reply)
    }
}
