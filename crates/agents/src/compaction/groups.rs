//! The parts of a conversation that stay together, and which of them are old.

use graphloom_llm::{ChatModel, Message, Part, Role};

use super::CompactionOptions;
use crate::converse::rough_tokens;

/// Messages that stay together: one, or a call of tools with its results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) messages: Vec<Message>,
    /// Whether it stays whatever its age: instructions, and what the conversation is for.
    pub(crate) pinned: bool,
}

impl Group {
    pub(crate) fn of(messages: Vec<Message>) -> Self {
        Self { messages, pinned: false }
    }
}

/// The groups of messages. Instructions at the beginning are pinned.
pub(crate) fn groups_of(messages: &[Message]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for message in messages {
        let is_first = groups.iter().all(|group| group.pinned);
        match groups.last_mut() {
            // A result without its call, or a call without its results, is refused by every provider.
            Some(group) if is_result(message) => group.messages.push(message.clone()),
            _ => {
                let pinned = is_first && message.role == Role::System;
                groups.push(Group { messages: vec![message.clone()], pinned });
            }
        }
    }
    groups
}

fn is_result(message: &Message) -> bool {
    message.role == Role::Tool || message.parts.iter().any(|part| matches!(part, Part::ToolResult(_)))
}

/// Tokens of a group, about.
pub(crate) fn tokens(group: &Group) -> u64 {
    group.messages.iter().map(rough_tokens).sum()
}

/// How many groups, pinned ones not counted, are to be summarised: all but the newest that may stay. `None` where the
/// conversation, which has `used` tokens, may be as long as it is, or no more than the first `before` groups are old.
///
/// The newest group stays in any case: it is what the model answers.
pub(crate) fn due(
    groups: &[Group],
    used: u64,
    before: usize,
    model: &dyn ChatModel,
    options: &CompactionOptions,
) -> Option<usize> {
    if used <= options.most(model)? {
        return None;
    }
    let kept = options.kept(model)?;
    let free: Vec<u64> = groups.iter().filter(|group| !group.pinned).map(tokens).collect();
    let mut stay = 0;
    let mut sum = 0;
    for tokens in free.iter().rev() {
        sum += tokens;
        if stay > 0 && sum > kept {
            break;
        }
        stay += 1;
    }
    let old = free.len().saturating_sub(stay);
    (old > before).then_some(old)
}

#[cfg(test)]
mod tests {
    use graphloom_llm::{Scripted, ToolCall, ToolResult};
    use serde_json::json;

    use super::*;

    fn call(id: &str) -> Message {
        let call = ToolCall { id: id.into(), name: "read".into(), arguments: json!({}) };
        Message { role: Role::Assistant, parts: vec![Part::ToolCall(call)] }
    }

    fn result(id: &str, characters: usize) -> Message {
        let result = ToolResult { call_id: id.into(), content: "x".repeat(characters), is_error: false };
        Message { role: Role::Tool, parts: vec![Part::ToolResult(result)] }
    }

    #[test]
    fn a_call_stays_with_its_results() {
        let messages = [
            Message::system("You help."),
            Message::user("Go."),
            call("1"),
            result("1", 3),
            result("2", 3),
            Message::assistant("Done."),
            Message::system("Be brief."),
        ];
        let groups = groups_of(&messages);
        let lengths: Vec<(usize, bool)> = groups.iter().map(|group| (group.messages.len(), group.pinned)).collect();
        assert_eq!(lengths, [(1, true), (1, false), (3, false), (1, false), (1, false)]);
        let flat: Vec<Message> = groups.into_iter().flat_map(|group| group.messages).collect();
        assert_eq!(flat, messages);
    }

    #[test]
    fn what_is_old_is_all_but_the_newest_that_may_stay() {
        let model = Scripted::from_fn(|_| Ok("")).with_capabilities(crate::compaction::tests::capabilities(1_000));
        let options = CompactionOptions::default();
        let groups = |sizes: &[usize]| -> Vec<Group> {
            sizes.iter().map(|size| Group::of(vec![Message::user("x".repeat(size * 3))])).collect()
        };
        for (sizes, before, old) in [
            (&[100, 100, 100][..], 0, None),
            (&[300, 100, 100, 100], 0, Some(2)),
            (&[300, 100, 100, 100], 2, None),
            // The newest stays although it is longer than may stay.
            (&[100, 600], 0, Some(1)),
            (&[600], 0, None),
            (&[400, 200, 40, 40, 40], 0, Some(2)),
        ] {
            let groups = groups(sizes);
            let used = groups.iter().map(tokens).sum();
            assert_eq!(due(&groups, used, before, &model, &options), old, "{sizes:?}");
        }
    }
}
