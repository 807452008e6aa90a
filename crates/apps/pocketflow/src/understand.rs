//! What a message means where the conversation stands.

use crate::actions::Action;
use crate::decide::{ReplyKind, WaitingKind};
use crate::edit;
use crate::feedback::{
    self, Candidate, Edit, ReadReply, Reading, ReviewedItems, Value, read_answer, read_shown, read_topic, read_value,
};
use crate::session::{Question, Role, Session, Waiting};

/// Messages of more bytes are not read.
pub(crate) const MOST_BYTES: usize = 16 * 1024;

/// A message as it was understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Understood {
    pub(crate) kind: Option<ReplyKind>,
    /// A topic, a value, a reason, or what does not fit.
    pub(crate) text: String,
    pub(crate) edits: Vec<Edit>,
    /// Other queries.
    pub(crate) queries: Vec<String>,
    /// What the person is asked about.
    pub(crate) candidate: Option<Candidate>,
    pub(crate) evidence: Vec<String>,
}

impl Understood {
    fn new(kind: ReplyKind, text: impl Into<String>) -> Self {
        Self { kind: Some(kind), text: text.into(), ..Self::default() }
    }
}

/// Whether a message is a reply to what was shown or told, which [`of_reply`] reads. Where a parameter is asked for, any
/// words may be its value.
pub(crate) fn is_reply(session: &Session, message: &str) -> bool {
    let replies = match &session.waiting_for {
        Waiting::Queries | Waiting::Report => true,
        Waiting::Slot { missing, .. } => missing.is_empty() || session.wants_queries(),
        Waiting::None => false,
    };
    message.len() <= MOST_BYTES && replies
}

/// Reads a reply by rules.
pub(crate) fn read(session: &Session, message: &str) -> ReadReply {
    let shown = reviewed_items(session);
    let read = read_shown(message, &shown);
    match session.waiting_for {
        // A yes or a no to the question whether the answer before was read rightly; anything else is a new answer.
        Waiting::Slot { .. } if session.asked.is_some() && is_mere_verdict(&read.reading) => read,
        Waiting::Slot { .. } => read_answer(message, session.wants_queries().then_some(&shown)),
        _ => read,
    }
}

/// A message that is no such reply.
pub(crate) fn of_value(session: &Session, message: &str) -> Understood {
    if message.len() > MOST_BYTES {
        return Understood::new(ReplyKind::TooLong, "");
    }
    if session.waiting_kind() == WaitingKind::Delivered {
        return of_delivered(session, message);
    }
    let value = match &session.waiting_for {
        Waiting::Slot { .. } => read_value(message),
        _ => read_topic(message),
    };
    match value {
        Value::Empty => Understood::new(ReplyKind::Empty, ""),
        Value::NewTopic(topic) => new_topic(topic),
        Value::Cancel => Understood::new(ReplyKind::Cancel, ""),
        Value::Retry => Understood::new(ReplyKind::Retry, ""),
        Value::Insist => Understood::new(ReplyKind::Empty, ""),
        Value::Verdict(_) => Understood::new(ReplyKind::Unclear, ""),
        Value::Text(text) => Understood::new(ReplyKind::Text, text),
    }
}

/// What lies before the person: what is under review, or the queries that found nothing.
pub(crate) fn reviewed_items(session: &Session) -> ReviewedItems {
    let artifacts = &session.artifacts;
    match session.waiting_for {
        Waiting::Report => ReviewedItems::proposal(
            artifacts.proposal.iter().flat_map(|proposal| &proposal.value.sections).map(|section| &section.heading),
        ),
        _ => {
            ReviewedItems::queries(artifacts.queries.iter().flat_map(|queries| &queries.value).map(|query| &query.text))
        }
    }
}

/// A reply to a review, or to the question whether the reply before was read rightly.
pub(crate) fn of_reply(session: &Session, message: &str, read: ReadReply) -> Understood {
    let understood = match (read.reading, session.asked.clone()) {
        // `no, looks great` is no yes to that question.
        (Reading::Approve | Reading::Candidate(Candidate::Approve), Some(_)) if feedback::begins_with_no(message) => {
            Understood::new(ReplyKind::Declined, "")
        }
        (Reading::Approve, Some(asked)) => confirmed(session, asked),
        // A weak yes to that question leaves it open.
        (Reading::Candidate(Candidate::Approve), Some(asked)) => candidate(session, asked),
        (Reading::Reject { feedback, search: false }, Some(_)) if feedback.is_empty() => {
            Understood::new(ReplyKind::Declined, "")
        }
        (reading, _) => plain(session, message, reading),
    };
    Understood { evidence: read.evidence, ..understood }
}

/// What a reply was nearly read as, once the person has said yes to it.
fn confirmed(session: &Session, asked: Candidate) -> Understood {
    match asked {
        Candidate::Approve => Understood::new(ReplyKind::Approve, ""),
        Candidate::Cancel => Understood::new(ReplyKind::Cancel, ""),
        Candidate::Edit(edits) => edited(session, edits),
        Candidate::Reject(reason) => Understood::new(ReplyKind::Reject, reason),
        Candidate::NewTopic(topic) => new_topic(topic),
    }
}

fn candidate(session: &Session, candidate: Candidate) -> Understood {
    if let Candidate::Edit(edits) = &candidate
        && let Err(misfit) = edit::apply(&mut session.clone(), edits, 0)
    {
        return Understood::new(ReplyKind::Misfit, misfit);
    }
    Understood { candidate: Some(candidate), ..Understood::new(ReplyKind::Candidate, "") }
}

fn edited(session: &Session, edits: Vec<Edit>) -> Understood {
    let mut changed = session.clone();
    match edit::apply(&mut changed, &edits, 0) {
        Err(misfit) => Understood::new(ReplyKind::Misfit, misfit),
        Ok(()) => match edit::to_write(session, &edits) {
            Some(feedback) => Understood { edits, ..Understood::new(ReplyKind::Revise, feedback) },
            None => Understood { edits, ..Understood::new(ReplyKind::Edit, "") },
        },
    }
}

fn plain(session: &Session, message: &str, reading: Reading) -> Understood {
    match reading {
        Reading::Approve => Understood::new(ReplyKind::Approve, ""),
        Reading::Reject { feedback, search: false } => Understood::new(ReplyKind::Reject, feedback),
        Reading::Reject { feedback, search: true } => Understood::new(ReplyKind::RejectSearch, feedback),
        Reading::Question => Understood::new(ReplyKind::Question, message.trim()),
        Reading::NewTopic { topic } => new_topic(topic),
        Reading::Cancel => Understood::new(ReplyKind::Cancel, ""),
        Reading::Unclear => Understood::new(ReplyKind::Unclear, ""),
        Reading::Edit(edits) => edited(session, edits),
        // Where nothing is under review, nothing can be approved, or made again.
        Reading::Candidate(Candidate::Approve | Candidate::Reject(_))
            if matches!(session.waiting_for, Waiting::Slot { .. }) =>
        {
            Understood::new(ReplyKind::Unclear, "")
        }
        Reading::Queries(_) if !session.wants_queries() => Understood::new(ReplyKind::Unclear, ""),
        Reading::Queries(queries) => Understood { queries, ..Understood::new(ReplyKind::Queries, "") },
        Reading::Retry => Understood::new(ReplyKind::Retry, ""),
        Reading::Insist if may_insist(session) => Understood::new(ReplyKind::Insist, ""),
        Reading::Insist => Understood::new(ReplyKind::Unclear, ""),
        Reading::Candidate(asked) => candidate(session, asked),
    }
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
        Value::Cancel => Understood::new(ReplyKind::Cancel, ""),
        _ if session.offered_topic.is_some() && read.reading == Reading::Approve => {
            Understood::new(ReplyKind::Approve, session.offered_topic.clone().unwrap_or_default())
        }
        // A weak yes leaves the offer open.
        _ if session.offered_topic.is_some() && read.reading == Reading::Candidate(Candidate::Approve) => {
            Understood::new(ReplyKind::Text, session.offered_topic.clone().unwrap_or_default())
        }
        _ if is_mere_verdict(&read.reading) => Understood::new(ReplyKind::Empty, ""),
        _ if THANKS.iter().any(|word| lower.contains(word)) => Understood::new(ReplyKind::Empty, ""),
        _ if read.reading == Reading::Question => Understood::new(ReplyKind::Question, message.trim()),
        Value::Text(text) => Understood::new(ReplyKind::Text, text),
        _ => Understood::new(ReplyKind::Empty, ""),
    };
    Understood { evidence: read.evidence, ..understood }
}

/// Whether a message is an approval or a rejection as a whole, in any language, so that it names no topic.
fn is_mere_verdict(reading: &Reading) -> bool {
    match reading {
        Reading::Approve | Reading::Candidate(Candidate::Approve) => true,
        Reading::Reject { feedback, .. } => feedback.is_empty(),
        _ => false,
    }
}

/// A message about something else than what is asked by now. Ending the journey and beginning another need nothing that
/// was shown; all else is late.
pub(crate) fn of_late(session: &Session, message: &str, about: Option<&Question>) -> Understood {
    if message.len() > MOST_BYTES {
        return Understood::new(ReplyKind::TooLong, "");
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
        Reading::Cancel => Understood::new(ReplyKind::Cancel, ""),
        Reading::NewTopic { topic } => new_topic(topic),
        reading => Understood::new(ReplyKind::Late, late(session, message, about, &reading)),
    };
    Understood { evidence, ..understood }
}

/// The outcome of a late message, in words.
fn late(session: &Session, message: &str, about: Option<&Question>, reading: &Reading) -> String {
    let quoted = shortened(message);
    if let (Some(about), Reading::Approve) = (about, reading) {
        let counted = session.journey.iter().any(|step| {
            let approval = matches!(step.rule.as_str(), "queries-approved" | "report-approved");
            approval && step.about.as_ref() == Some(&about.id)
        });
        if counted {
            return format!("Your approval of {} was counted already; `{quoted}` is not counted again.", about.name());
        }
    }
    // The last line is this message.
    let before = session.history.iter().rev().filter(|line| line.role == Role::User).nth(1);
    if before.is_some_and(|line| line.text.trim() == message.trim() && !message.trim().is_empty()) {
        return format!("`{quoted}` was taken already; it is not taken a second time.");
    }
    match about {
        Some(about) if about.version.is_some() => format!(
            "You said `{quoted}` about {}, before you were shown what is asked now, so it does not count for this.",
            about.name()
        ),
        _ => format!("You said `{quoted}` before you were shown this, so it does not count for it."),
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
/// says, or nearly says, that what the turn works on shall be otherwise. `session` is as it was before that turn.
pub(crate) fn stops(session: &Session, message: &str, about: Option<&Question>) -> bool {
    if message.len() > MOST_BYTES {
        return false;
    }
    let kind = if Question::of(session).is_late(about) {
        of_late(session, message, about).kind
    } else if is_reply(session, message) {
        let read = read(session, message);
        // The turn may be doing what a yes confirms, so a yes, also a weak one, wants nothing otherwise.
        let says_yes = matches!(read.reading, Reading::Approve | Reading::Candidate(Candidate::Approve));
        let kind = of_reply(session, message, read).kind;
        kind.filter(|kind| !says_yes || *kind == ReplyKind::Cancel)
    } else {
        of_value(session, message).kind
    };
    use ReplyKind::{Cancel, Candidate as Nearly, Declined, Edit, NewTopic, Queries, Reject, RejectSearch, Revise};
    matches!(kind, Some(Cancel | NewTopic | Queries | Edit | Revise | Nearly | Declined | Reject | RejectSearch))
}

fn new_topic(topic: String) -> Understood {
    let kind = if topic.trim().is_empty() { ReplyKind::NewTopicUnnamed } else { ReplyKind::NewTopic };
    Understood::new(kind, topic)
}

/// Going on without records can be insisted on only where a search has found none.
fn may_insist(session: &Session) -> bool {
    matches!(session.waiting_for, Waiting::Slot { action: Action::LiteratureReview, .. })
        && session.artifacts.review.is_some()
}
