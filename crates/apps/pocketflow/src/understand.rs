//! What a message means where the conversation stands.

use crate::actions::Action;
use crate::decide::Heard;
use crate::edit;
use crate::feedback::{Candidate, Edit, Read, Reading, Shown, Value, read_topic, read_value};
use crate::session::{Session, Waiting};

/// Messages of more bytes are not read.
pub(crate) const MOST_BYTES: usize = 16 * 1024;

/// A message as it was understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Understood {
    pub(crate) heard: Option<Heard>,
    /// A topic, a value, a reason, or what does not fit.
    pub(crate) text: String,
    pub(crate) edits: Vec<Edit>,
    /// What the person is asked about.
    pub(crate) candidate: Option<Candidate>,
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

/// What lies before the person in a review.
pub(crate) fn shown(session: &Session) -> Shown {
    let artifacts = &session.artifacts;
    match session.waiting_for {
        Waiting::Report => Shown::proposal(
            artifacts.proposal.iter().flat_map(|proposal| &proposal.value.sections).map(|section| &section.heading),
        ),
        _ => Shown::queries(artifacts.queries.iter().flat_map(|queries| &queries.value).map(|query| &query.text)),
    }
}

/// A reply to a review, or to the question whether the reply before was read rightly.
pub(crate) fn of_reply(session: &Session, message: &str, read: Read) -> Understood {
    let understood = match (read.reading, session.asked.clone()) {
        (Reading::Approve, Some(asked)) => confirmed(session, asked),
        // A weak yes to that question leaves it open.
        (Reading::Candidate(Candidate::Approve), Some(asked)) => candidate(session, asked),
        (Reading::Reject { feedback, search: false }, Some(_)) if feedback.is_empty() => {
            Understood::new(Heard::Declined, "")
        }
        (reading, _) => plain(session, message, reading),
    };
    Understood { evidence: read.evidence, ..understood }
}

/// What a reply was nearly read as, once the person has said yes to it.
fn confirmed(session: &Session, asked: Candidate) -> Understood {
    match asked {
        Candidate::Approve => Understood::new(Heard::Approve, ""),
        Candidate::Cancel => Understood::new(Heard::Cancel, ""),
        Candidate::Edit(edits) => edited(session, edits),
    }
}

fn candidate(session: &Session, candidate: Candidate) -> Understood {
    if let Candidate::Edit(edits) = &candidate
        && let Err(misfit) = edit::apply(&mut session.clone(), edits, 0)
    {
        return Understood::new(Heard::Misfit, misfit);
    }
    Understood { candidate: Some(candidate), ..Understood::new(Heard::Candidate, "") }
}

fn edited(session: &Session, edits: Vec<Edit>) -> Understood {
    let mut changed = session.clone();
    match edit::apply(&mut changed, &edits, 0) {
        Err(misfit) => Understood::new(Heard::Misfit, misfit),
        Ok(()) => match edit::to_write(session, &edits) {
            Some(feedback) => Understood { edits, ..Understood::new(Heard::Revise, feedback) },
            None => Understood { edits, ..Understood::new(Heard::Edit, "") },
        },
    }
}

fn plain(session: &Session, message: &str, reading: Reading) -> Understood {
    match reading {
        Reading::Approve => Understood::new(Heard::Approve, ""),
        Reading::Reject { feedback, search: false } => Understood::new(Heard::Reject, feedback),
        Reading::Reject { feedback, search: true } => Understood::new(Heard::RejectSearch, feedback),
        Reading::Question => Understood::new(Heard::Question, message.trim()),
        Reading::NewTopic { topic } => new_topic(topic),
        Reading::Cancel => Understood::new(Heard::Cancel, ""),
        Reading::Unclear => Understood::new(Heard::Unclear, ""),
        Reading::Edit(edits) => edited(session, edits),
        Reading::Candidate(asked) => candidate(session, asked),
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
