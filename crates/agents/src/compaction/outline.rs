//! An outline of messages that no model wrote.

use graphloom_llm::{Message, Part, Role};

/// The longest line.
const LINE: usize = 160;

/// What was said and done, a line each, from the words themselves; of more than `most` characters the newest.
pub(super) fn outline<'m>(earlier: Option<&str>, messages: impl Iterator<Item = &'m Message>, most: usize) -> String {
    let mut lines: Vec<String> = earlier.into_iter().flat_map(str::lines).map(str::to_owned).collect();
    for message in messages {
        for part in &message.parts {
            match part {
                Part::Text { text } if message.role == Role::Assistant => lines.extend(line("the model said", text)),
                Part::Text { text } => lines.extend(line("the model read", text)),
                Part::ToolCall(call) => {
                    lines.extend(line(&format!("the model called `{}`", call.name), &call.arguments.to_string()));
                }
                Part::ToolResult(result) => lines.extend(line("the tool answered", &result.content)),
                _ => {}
            }
        }
    }
    let mut left = most;
    let fitting = lines.iter().rev().take_while(|line| {
        let length = line.chars().count() + 1;
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    });
    let from = lines.len() - fitting.count();
    lines[from..].join("\n")
}

fn line(who: &str, text: &str) -> Option<String> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return None;
    }
    let cut: String = words.chars().take(LINE).collect();
    let dots = if cut.len() < words.len() { "…" } else { "" };
    Some(format!("- {who}: {cut}{dots}"))
}
