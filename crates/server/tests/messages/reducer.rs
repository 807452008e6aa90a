//! `add_messages`: what is replaced, removed and appended, by example and against a plain model.

use std::collections::HashSet;

use graphloom_server::messages::{Message, MessageKind, Messages, REMOVE_ALL, add_messages};
use proptest::prelude::*;

fn folded(turns: &[&[Message]]) -> Messages {
    let mut messages = Messages::new();
    for turn in turns {
        add_messages(&mut messages, turn.iter().cloned().collect());
    }
    messages
}

fn say(id: &str, text: &str) -> Message {
    Message::human(text).with_id(id)
}

fn shown(messages: &Messages) -> String {
    messages.iter().map(|message| format!("{}={}", message.id(), message.text())).collect::<Vec<_>>().join(" ")
}

#[test]
fn messages_are_appended_replaced_and_removed() {
    let begun: &[Message] = &[say("a", "1"), say("b", "2"), say("c", "3")];
    let cases: [(&[Message], &str); 10] = [
        (&[], "a=1 b=2 c=3"),
        (&[say("d", "4"), say("e", "5")], "a=1 b=2 c=3 d=4 e=5"),
        (&[say("b", "4"), say("d", "5")], "a=1 b=4 c=3 d=5"),
        (&[say("d", "4"), say("d", "5")], "a=1 b=2 c=3 d=5"),
        (&[Message::remove("b")], "a=1 c=3"),
        (&[Message::remove("x")], "a=1 b=2 c=3"),
        (&[Message::remove("b"), say("b", "4")], "a=1 b=4 c=3"),
        (&[say("d", "4"), Message::remove("d"), Message::remove("a")], "b=2 c=3"),
        (&[Message::remove(REMOVE_ALL)], ""),
        (&[say("a", "4"), Message::remove(REMOVE_ALL), say("c", "5"), say("a", "6")], "c=5 a=6"),
    ];
    for (changes, expected) in cases {
        assert_eq!(shown(&folded(&[begun, changes])), expected, "{changes:?}");
    }
}

#[test]
fn a_clone_does_not_see_what_comes_later() {
    let mut messages = folded(&[&[say("a", "1"), say("b", "2")]]);
    let held = messages.clone();
    add_messages(&mut messages, [say("c", "3"), say("a", "4")].into());
    assert_eq!((shown(&held).as_str(), shown(&messages).as_str()), ("a=1 b=2", "a=4 b=2 c=3"));
}

/// Few ids, so that they meet.
fn changes() -> impl Strategy<Value = Vec<Message>> {
    let id = || (0..8_u8).prop_map(|id| id.to_string());
    let change = prop_oneof![
        6 => (id(), "[a-z]{1,3}").prop_map(|(id, text)| say(&id, &text)),
        3 => id().prop_map(Message::remove),
        1 => Just(Message::remove(REMOVE_ALL)),
    ];
    prop::collection::vec(change, 0..8)
}

/// The rules as they are told, one change after the other, slowly. A message that comes back within one turn has its
/// place again, so a removed one leaves an empty place until the turn ends.
fn model(turns: &[Vec<Message>]) -> Vec<(String, String)> {
    let mut kept: Vec<(String, String)> = Vec::new();
    for turn in turns {
        let mut places: Vec<(String, Option<String>)> = kept.into_iter().map(|(id, text)| (id, Some(text))).collect();
        for change in turn {
            if change.id() == REMOVE_ALL {
                places.clear();
                continue;
            }
            let text = (change.kind() != MessageKind::Remove).then(|| change.text());
            match places.iter_mut().find(|(id, _)| id == change.id()) {
                Some((_, place)) => *place = text,
                None if text.is_some() => places.push((change.id().to_owned(), text)),
                None => {}
            }
        }
        kept = places.into_iter().filter_map(|(id, text)| Some((id, text?))).collect();
    }
    kept
}

proptest! {
    #[test]
    fn any_turns_do_what_the_rules_say(turns in prop::collection::vec(changes(), 0..6)) {
        let mut messages = Messages::new();
        for turn in &turns {
            add_messages(&mut messages, turn.iter().cloned().collect());
            let ids: HashSet<&str> = messages.iter().map(Message::id).collect();
            prop_assert_eq!(ids.len(), messages.len(), "an id is there once");
            prop_assert!(messages.iter().all(|message| message.kind() != MessageKind::Remove));
        }
        let kept: Vec<_> = messages.iter().map(|message| (message.id().to_owned(), message.text())).collect();
        prop_assert_eq!(kept, model(&turns));
    }

    #[test]
    fn messages_that_stay_keep_their_order(turns in prop::collection::vec(changes(), 0..6), last in changes()) {
        let mut messages = Messages::new();
        for turn in turns {
            add_messages(&mut messages, turn.into());
        }
        let before: Vec<String> = messages.iter().map(|message| message.id().to_owned()).collect();
        let clears = last.iter().any(|change| change.id() == REMOVE_ALL);
        add_messages(&mut messages, last.into());
        let after: Vec<&str> = messages.iter().map(Message::id).collect();
        if !clears {
            let stayed: Vec<&str> = before.iter().map(String::as_str).filter(|id| after.contains(id)).collect();
            prop_assert_eq!(&after[..stayed.len()], &stayed[..]);
        }
    }

    #[test]
    fn removing_all_leaves_none_and_so_does_removing_each(turns in prop::collection::vec(changes(), 0..6)) {
        let mut all = Messages::new();
        for turn in turns {
            add_messages(&mut all, turn.into());
        }
        let mut each = all.clone();
        add_messages(&mut each, all.iter().map(|message| Message::remove(message.id())).collect());
        add_messages(&mut all, Message::remove(REMOVE_ALL).into());
        prop_assert!(each.is_empty() && all.is_empty());
    }
}
