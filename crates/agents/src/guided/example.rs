//! Keeps the examples of prompts out of replies: a small model likes to say again what it was shown as an answer.

use graphloom_llm::{Message, Role};
use serde_json::Value;

/// So many words in a row of an example are taken from it.
const WORDS: usize = 4;

/// The words in a row that a reply takes from the answers that its prompt shows, where the question itself has them not.
#[must_use]
pub fn repeated(reply: &str, prompt: &[Message]) -> Option<String> {
    let question = prompt.last().map(|message| plain(&message.joined_text())).unwrap_or_default();
    let examples: Vec<String> = prompt
        .iter()
        .filter(|message| message.role == Role::Assistant)
        .flat_map(|message| texts(&message.joined_text()))
        .map(|text| format!(" {} ", plain(&text)))
        .collect();
    texts(reply).iter().find_map(|text| {
        let words = plain(text);
        let words: Vec<&str> = words.split(' ').collect();
        let mut rows = words.windows(WORDS).map(|row| row.join(" "));
        rows.find(|row| examples.iter().any(|example| example.contains(&format!(" {row} "))) && !question.contains(row))
    })
}

/// The texts of a JSON value, or the text itself where it is none.
fn texts(text: &str) -> Vec<String> {
    fn leaves(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| leaves(item, found)),
            Value::Object(fields) => fields.values().for_each(|field| leaves(field, found)),
            _ => {}
        }
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else { return vec![text.to_owned()] };
    let mut found = Vec::new();
    leaves(&value, &mut found);
    found
}

/// Letters and digits only, for comparison.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_known_in_a_reply() {
        let prompt = [
            Message::user("Topic: sleep"),
            Message::assistant(r#"{"query":"measuring memory after sleep"}"#),
            Message::user("Topic: accidents of bicycles in cities at night"),
        ];
        for (reply, taken) in [
            (r#"{"query":"Measuring memory after sleep!"}"#, true),
            (r#"{"query":"the measuring memory after sleep of bicycles"}"#, true),
            (r#"{"query":"measuring sleep"}"#, false),
            (r#"{"query":"accidents of bicycles in cities"}"#, false),
        ] {
            assert_eq!(repeated(reply, &prompt).is_some(), taken, "{reply}");
        }
    }
}
