//! The same as LangGraph: what it keeps of a message, and of a conversation after turns of changes. `langgraph.json` has
//! what LangGraph itself answered; `ask_langgraph.py` asks it again.

use graphloom_server::messages::{Message, Messages, add_messages};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Answers {
    forms: Vec<Form>,
    conversations: Vec<Conversation>,
}

#[derive(Deserialize)]
struct Form {
    given: Value,
    kept: Value,
}

#[derive(Deserialize)]
struct Conversation {
    turns: Vec<Vec<Change>>,
    kept: Vec<Spoken>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Change {
    Remove { remove: String },
    Say(Spoken),
}

#[derive(Debug, PartialEq, Deserialize)]
struct Spoken {
    id: String,
    text: String,
}

fn answers() -> Answers {
    serde_json::from_str(include_str!("langgraph.json")).expect("the answers")
}

#[test]
fn messages_are_written_as_langgraph_writes_them() {
    let forms = answers().forms;
    assert_eq!(forms.len(), 12);
    for Form { given, kept } in forms {
        let message = Message::try_from(given.clone()).unwrap();
        // As text, since the order of keys counts.
        assert_eq!(serde_json::to_string(&message).unwrap(), kept.to_string(), "{given}");
    }
}

#[test]
fn turns_leave_what_langgraph_leaves() {
    let conversations = answers().conversations;
    assert_eq!(conversations.len(), 100);
    for Conversation { turns, kept } in conversations {
        let mut messages = Messages::new();
        for turn in &turns {
            let changes = turn.iter().map(|change| match change {
                Change::Remove { remove } => Message::remove(remove),
                Change::Say(Spoken { id, text }) => Message::human(text.as_str()).with_id(id),
            });
            add_messages(&mut messages, changes.collect());
        }
        let left: Vec<_> =
            messages.iter().map(|message| Spoken { id: message.id().to_owned(), text: message.text() }).collect();
        assert_eq!(left, kept, "{turns:?}");
    }
}
