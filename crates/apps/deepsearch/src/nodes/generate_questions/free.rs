//! Questions in the model's own words.

use graphloom_core_graph::{Context, NodeError};
use serde_json::Value;

use super::AGENT;
use crate::ask::{Ask, AskFailure, text};
use crate::resources::Resources;
use crate::stream::Place;

/// How many questions are asked.
const QUESTIONS: usize = 3;

/// The questions, streamed while they are made.
pub(super) async fn questions(
    cx: &Context<Resources>,
    ask: Ask,
    args: &Value,
) -> Result<Result<String, AskFailure>, NodeError> {
    let ask = ask.stream(AGENT, Place::default());
    text(cx, &ask, args, |text| match numbered(text) {
        QUESTIONS => Ok(text.to_owned()),
        found => Err(format!("there are {found} numbered questions; {QUESTIONS} are wanted")),
    })
    .await
}

/// How many lines begin with a number.
fn numbered(text: &str) -> usize {
    let begins = |line: &&str| {
        let line = line.trim_start_matches([' ', '*', '#', '-']);
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && rest.starts_with(['.', ')', '、', ':', '．'])
    };
    text.lines().filter(begins).count()
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbered_lines_are_counted() {
        assert_eq!(super::numbered("1. a\n2) b\n**3.** c\nfour\n2024 was"), 3);
        assert_eq!(super::numbered("1、甲\n2、乙"), 2);
    }
}
