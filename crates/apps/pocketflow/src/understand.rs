//! What a message means where the conversation stands.

use crate::actions::Action;
use crate::decide::{Heard, WaitingKind};
use crate::edit;
use crate::feedback::{self, Edit, Read, Reading, Value, read_topic, read_value};
use crate::session::{Question, Role, Session, Waiting};

/// Messages of more bytes are not read.
pub(crate) const MOST_BYTES: usize = 16 * 1024;

/// A message as it was understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Understood {
    pub(crate) heard: Option<Heard>,
    /// A topic, a value, a reason, or what does not fit.
    pub(crate) text: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) evidence: Vec<String>,
}

impl Understood {
    fn new(heard: Heard, text: impl Into<String>) -> Self {
        Self { heard: Some(heard), text: text.into(), ..Self::default() }
    }
}

/// Whether a message is a reply to a review, which [`of_reply`] reads.
pub(crate) fn is_reply(session: &Session, message: &str) -> bool {
    message.len() <= MOST_BYTES && matches!(session.waiting_for, Waiting::Queries | Waiting::Report)
}

/// A message that is no reply to a review.
pub(crate) fn of_value(session: &Session, message: &str) -> Understood {
    if message.len() > MOST_BYTES {
        return Understood::new(Heard::TooLong, "");
    }
    if WaitingKind::of(session) == WaitingKind::Delivered {
        return of_delivered(session, message);
    }
    let value = match &session.waiting_for {
        Waiting::Slot { .. } => read_value(message),
        _ => read_topic(message),
    };
    match value {
        Value::Empty => Understood::new(Heard::Empty, ""),
        Value::NewTopic(topic) => new_topic(topic),
        Value::Cancel => Understood::new(Heard::Cancel, ""),
        Value::Retry => Understood::new(Heard::Retry, ""),
        Value::Insist if may_insist(session) => Understood::new(Heard::Insist, ""),
        Value::Insist => Understood::new(Heard::Empty, ""),
        Value::Verdict(_) => Understood::new(Heard::Unclear, ""),
        // An action that lacks nothing is tried again when the person says so, not whatever the person says.
        Value::Text(text) => match &session.waiting_for {
            Waiting::Slot { missing, .. } if missing.is_empty() => Understood::new(Heard::Empty, ""),
            _ => Understood::new(Heard::Text, text),
        },
    }
}

/// A reply to a review.
pub(crate) fn of_reply(session: &Session, message: &str, read: Read) -> Understood {
    let understood = match read.reading {
        Reading::Approve => Understood::new(Heard::Approve, ""),
        Reading::Reject { feedback, search: false } => Understood::new(Heard::Reject, feedback),
        Reading::Reject { feedback, search: true } => Understood::new(Heard::RejectSearch, feedback),
        Reading::Question => Understood::new(Heard::Question, message.trim()),
        Reading::NewTopic { topic } => new_topic(topic),
        Reading::Cancel => Understood::new(Heard::Cancel, ""),
        Reading::Unclear => Understood::new(Heard::Unclear, ""),
        Reading::Edit(edits) => match edit::apply(&mut session.clone(), &edits, 0) {
            Ok(()) => Understood { edits, ..Understood::new(Heard::Edit, "") },
            Err(misfit) => Understood::new(Heard::Misfit, misfit),
        },
    };
    Understood { evidence: read.evidence, ..understood }
}

/// Words of thanks: a message with one of them names no topic.
const THANKS: &[&str] = &[
    "thank",
    "thanks",
    "thx",
    "cheers",
    "danke",
    "merci",
    "gracias",
    "obrigado",
    "obrigada",
    "спасибо",
    "ありがとう",
    "谢谢",
    "謝謝",
    "감사",
];

/// A message after the end.
fn of_delivered(session: &Session, message: &str) -> Understood {
    let lower = message.to_lowercase();
    let read = feedback::read(message);
    let understood = match read_topic(message) {
        Value::NewTopic(topic) => new_topic(topic),
        Value::Cancel => Understood::new(Heard::Cancel, ""),
        _ if session.offered_topic.is_some() && read.reading == Reading::Approve => {
            Understood::new(Heard::Approve, session.offered_topic.clone().unwrap_or_default())
        }
        _ if THANKS.iter().any(|word| lower.contains(word)) => Understood::new(Heard::Empty, ""),
        _ if read.reading == Reading::Question => Understood::new(Heard::Question, message.trim()),
        Value::Text(text) => Understood::new(Heard::Text, text),
        _ => Understood::new(Heard::Empty, ""),
    };
    Understood { evidence: read.evidence, ..understood }
}

/// A message about something else than what is asked by now. Ending the journey and beginning another need nothing that
/// was shown; all else is late.
pub(crate) fn of_late(session: &Session, message: &str, about: Option<&Question>) -> Understood {
    if message.len() > MOST_BYTES {
        return Understood::new(Heard::TooLong, "");
    }
    let review = about.is_some_and(|about| matches!(about.waiting, WaitingKind::Queries | WaitingKind::Report));
    let (reading, evidence) = if review {
        let read = feedback::read(message);
        (read.reading, read.evidence)
    } else {
        let reading = match read_value(message) {
            Value::Cancel => Reading::Cancel,
            Value::NewTopic(topic) => Reading::NewTopic { topic },
            _ => feedback::read(message).reading,
        };
        (reading, Vec::new())
    };
    let understood = match reading {
        Reading::Cancel => Understood::new(Heard::Cancel, ""),
        Reading::NewTopic { topic } => new_topic(topic),
        reading => Understood::new(Heard::Late, late(session, message, about, &reading)),
    };
    Understood { evidence, ..understood }
}

/// What became of a late message, in words.
fn late(session: &Session, message: &str, about: Option<&Question>, reading: &Reading) -> String {
    let said = shortened(message);
    if let (Some(about), Reading::Approve) = (about, reading) {
        let counted = session.journey.iter().any(|step| {
            let approval = matches!(step.rule.as_str(), "queries-approved" | "report-approved");
            approval && step.about.as_ref() == Some(&about.id)
        });
        if counted {
            return format!("Your approval of {} was counted already; `{said}` is not counted again.", about.name());
        }
    }
    // The last line is this message.
    let before = session.history.iter().rev().filter(|line| line.role == Role::User).nth(1);
    if before.is_some_and(|line| line.text.trim() == message.trim() && !message.trim().is_empty()) {
        return format!("`{said}` was taken already; it is not taken a second time.");
    }
    match about {
        Some(about) if about.version.is_some() => format!(
            "You said `{said}` about {}, before you were shown what is asked now, so it does not count for this.",
            about.name()
        ),
        _ => format!("You said `{said}` before you were shown this, so it does not count for it."),
    }
}

/// A message on one line, short enough to be said back.
fn shortened(message: &str) -> String {
    let line: String = message.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Whether a message stops a turn that was cut off, instead of letting it go on: it ends the journey, begins another, or
/// says that what the turn works on shall be otherwise. `session` is as it was before that turn.
pub(crate) fn stops(session: &Session, message: &str, about: Option<&Question>) -> bool {
    if message.len() > MOST_BYTES {
        return false;
    }
    let is_late = Question::of(session).is_late(about);
    let heard = if !is_late && is_reply(session, message) {
        of_reply(session, message, feedback::read(message)).heard
    } else if is_late {
        of_late(session, message, about).heard
    } else {
        of_value(session, message).heard
    };
    match heard {
        Some(Heard::Cancel | Heard::NewTopic) => true,
        Some(Heard::Edit | Heard::Reject | Heard::RejectSearch) => !is_late,
        _ => false,
    }
}

fn new_topic(topic: String) -> Understood {
    let heard = if topic.trim().is_empty() { Heard::NewTopicUnnamed } else { Heard::NewTopic };
    Understood::new(heard, topic)
}

/// Going on without records can be insisted on only where a search has found none.
fn may_insist(session: &Session) -> bool {
    matches!(session.waiting_for, Waiting::Slot { action: Action::LiteratureReview, .. })
        && session.artifacts.review.is_some()
}
