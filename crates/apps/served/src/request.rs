//! What a client wants: the last message of a person, or a plain field.

use graphloom_core_graph::NodeError;
use graphloom_server::messages::{Message, MessageKind, Messages};

/// What is wanted, and the message to add where it came as a plain field. A field counts before messages.
///
/// # Errors
/// Neither says anything; the text names the field.
pub(crate) fn wanted(
    messages: &Messages,
    field: Option<&String>,
    name: &str,
) -> Result<(String, Option<Message>), NodeError> {
    if let Some(text) = field.map(|text| text.trim()).filter(|text| !text.is_empty()) {
        return Ok((text.to_owned(), Some(Message::human(text))));
    }
    // What a program said is no request, so a person has to have spoken last.
    let last = messages.iter().rev().find(|message| matches!(message.kind(), MessageKind::Human | MessageKind::Ai));
    let text = last.filter(|message| message.kind() == MessageKind::Human).map(Message::text).unwrap_or_default();
    match text.trim() {
        "" => Err(NodeError::terminal(format!(
            "there is no request: give `messages` whose last one is a person's text, or the field `{name}`"
        ))),
        text => Ok((text.to_owned(), None)),
    }
}

/// What is said, as messages of the application.
pub(crate) fn said(texts: &[String]) -> Messages {
    texts.iter().filter(|text| !text.trim().is_empty()).map(|text| Message::ai(text.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_has_to_have_spoken_last() {
        let field = |text: &str| Some(text.to_owned());
        let asked = Messages::from([Message::human("tides"), Message::system("be brief")]);
        let answered = Messages::from([Message::human("tides"), Message::ai("They come and go.")]);
        for (messages, given, expected) in [
            (&asked, None, Some(("tides", false))),
            (&asked, field("  "), Some(("tides", false))),
            (&asked, field(" storks "), Some(("storks", true))),
            (&answered, None, None),
            (&answered, field("more"), Some(("more", true))),
            (&Messages::from(Message::human("  ")), None, None),
            (&Messages::new(), None, None),
        ] {
            let wanted = wanted(messages, given.as_ref(), "query").map(|(text, message)| (text, message.is_some()));
            match expected {
                Some((text, is_new)) => assert_eq!(wanted.unwrap(), (text.to_owned(), is_new)),
                None => assert!(wanted.unwrap_err().to_string().contains("the field `query`")),
            }
        }
    }
}
