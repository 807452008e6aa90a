//! How changes fold onto the messages of a conversation.

use std::collections::HashMap;

use super::list::Messages;
use super::message::{Message, MessageKind};

/// The id under which an order to remove takes every message away.
pub const REMOVE_ALL: &str = "__remove_all__";

/// The reducer of messages, as `add_messages` of LangGraph: `#[state(reduce_with = add_messages)]`.
///
/// A message whose id is there already takes the place of that one, and any other is appended. A message of type
/// `remove` takes the one of its id away; where none has the id nothing happens, since a reducer does not fail. The id
/// [`REMOVE_ALL`] takes away all that is there and all that stands before it in `changes`.
///
/// A list that was only ever changed by this function holds every id once.
#[expect(clippy::needless_pass_by_value, reason = "a reducer takes its change by value")]
pub fn add_messages(messages: &mut Messages, changes: Messages) {
    let changes: Vec<&Message> = match changes.iter().rposition(removes_all) {
        Some(last) => {
            *messages = Messages::new();
            changes.iter().skip(last + 1).collect()
        }
        None => changes.iter().collect(),
    };
    let mut places: HashMap<&str, Option<usize>> = changes.iter().map(|change| (change.id(), None)).collect();
    let mut is_known = false;
    for (place, message) in messages.iter().enumerate() {
        if let Some(known) = places.get_mut(message.id()) {
            *known = Some(place);
            is_known = true;
        }
    }
    // What is only appended leaves the list as it is, however long.
    let mut entries: Vec<Option<Message>> =
        if is_known { std::mem::take(messages).iter().cloned().map(Some).collect() } else { Vec::new() };
    for change in changes {
        let place = places.entry(change.id()).or_default();
        let entry = (change.kind() != MessageKind::Remove).then(|| change.clone());
        match *place {
            // A message that comes back after its removal has its old place.
            Some(place) => entries[place] = entry,
            None if entry.is_some() => {
                *place = Some(entries.len());
                entries.push(entry);
            }
            None => {}
        }
    }
    messages.extend(entries.into_iter().flatten());
}

fn removes_all(message: &Message) -> bool {
    message.kind() == MessageKind::Remove && message.id() == REMOVE_ALL
}
