//! What a conversation asks, with a name that an answer can carry.

use graphloom_llm::cassette::key_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Session;
use crate::decide::WaitingKind;

/// Hexadecimal digits of an id.
const DIGITS: usize = 8;

/// What a conversation asks a person, and in which version.
///
/// A message is about the question that was last delivered to the person. A verdict counts only when the conversation
/// still asks that question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Question {
    /// Its name, such as `queries-1-5f0a92c1`: what is asked about, its version, and digits of its content, so that two
    /// branches of a conversation never have questions of one name. Whether a reply to it was read rightly is a question
    /// of its own, such as `confirm-queries-1-c09d11ab`.
    pub id: String,
    /// What the conversation waits for.
    pub waiting: WaitingKind,
    /// The version of the queries or of the proposal.
    pub version: Option<u32>,
}

impl Question {
    /// What a session asks.
    pub fn of(session: &Session) -> Self {
        let waiting = session.waiting_kind();
        let (artifacts, id) = (&session.artifacts, &session.conversation_id);
        let queries = artifacts.queries.as_ref();
        let proposal = artifacts.proposal.as_ref();
        let (name, version, content) = match waiting {
            WaitingKind::None => return Self { id: "topic".to_owned(), waiting, version: None },
            WaitingKind::Queries => {
                let content = json!(queries.map(|queries| (queries.at, &queries.value)));
                let name = if session.asked.is_some() { "confirm-queries" } else { "queries" };
                (name, queries.map(|queries| queries.version), asked_about(session, content))
            }
            WaitingKind::Report => {
                let content = json!(proposal.map(|proposal| (proposal.at, &proposal.value)));
                let name = if session.asked.is_some() { "confirm-proposal" } else { "proposal" };
                (name, proposal.map(|proposal| proposal.version), asked_about(session, content))
            }
            // The same is asked anew where something was made in between.
            WaitingKind::Slot => {
                let made = (queries.map(|made| made.version), artifacts.review.as_ref().map(|made| made.version));
                let name = if session.asked.is_some() { "confirm-slot" } else { "slot" };
                let content = json!([session.waiting_for, made, artifacts.gap.as_ref().map(|made| made.version)]);
                (name, None, asked_about(session, content))
            }
            WaitingKind::Delivered => match &session.offered_topic {
                Some(topic) => ("new-topic", None, json!(topic)),
                None => ("delivered", proposal.map(|proposal| proposal.version), json!(proposal.map(|made| made.at))),
            },
        };
        let digits: String = key_of(&json!([id, session.archive.len(), content])).chars().take(DIGITS).collect();
        let number = version.map_or_else(String::new, |version| format!("{version}-"));
        Self { id: format!("{name}-{number}{digits}"), waiting, version }
    }

    /// Whether a message about `about` comes too late for this question: it is about something else, or about nothing
    /// that is known to have been delivered. Where no verdict is waited for, only verdicts are late.
    pub(crate) fn is_late(&self, about: Option<&Self>) -> bool {
        match about {
            Some(about) if about.id == self.id => false,
            _ if self.is_waiting() || self.id.starts_with("new-topic-") => true,
            about => about.is_some_and(Self::is_waiting),
        }
    }

    /// The question of an id, as far as the id tells it; none for what is no id.
    pub fn named(id: &str) -> Option<Self> {
        let (head, digits) = id.rsplit_once('-')?;
        let is_id = digits.len() == DIGITS && digits.chars().all(|c| c.is_ascii_hexdigit());
        let (name, version) = match head.rsplit_once('-') {
            Some((name, number)) if number.chars().all(|c| c.is_ascii_digit()) => (name, Some(number.parse().ok()?)),
            _ => (head, None),
        };
        let waiting = match name {
            "queries" | "confirm-queries" => WaitingKind::Queries,
            "proposal" | "confirm-proposal" => WaitingKind::Report,
            "slot" | "confirm-slot" => WaitingKind::Slot,
            "delivered" | "new-topic" => WaitingKind::Delivered,
            _ => return None,
        };
        is_id.then(|| Self { id: id.to_owned(), waiting, version })
    }

    /// Whether the conversation waits for an answer.
    pub fn is_waiting(&self) -> bool {
        matches!(self.waiting, WaitingKind::Queries | WaitingKind::Report | WaitingKind::Slot)
    }

    /// What it is about, in words.
    pub(crate) fn name(&self) -> String {
        match (self.waiting, self.version) {
            (WaitingKind::Queries, Some(version)) => format!("version {version} of the queries"),
            (WaitingKind::Report, Some(version)) => format!("version {version} of the proposal"),
            (WaitingKind::Slot, _) => "what was asked for before".to_owned(),
            _ => "what was there before".to_owned(),
        }
    }
}

/// What is asked about, with what a reply to it was nearly read as, where that is asked.
fn asked_about(session: &Session, content: Value) -> Value {
    match &session.asked {
        Some(asked) => json!([content, asked]),
        None => content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::Action;
    use crate::feedback::{Candidate, Edit};
    use crate::session::{Artifact, SearchQuery, Waiting};

    fn reviewing(text: &str, version: u32) -> Session {
        let mut session = Session::new("c1");
        session.waiting_for = Waiting::Queries;
        session.artifacts.queries =
            Some(Artifact::new(version, Action::GenerateQueries, 7, vec![SearchQuery::new(text)]));
        session
    }

    #[test]
    fn a_question_is_named_by_what_it_shows() {
        let question = Question::of(&reviewing("tides", 3));
        assert!(question.id.starts_with("queries-3-"), "{question:?}");
        assert_eq!(
            question,
            Question::of(&Session { revision: 9, ..reviewing("tides", 3) }),
            "asked again is the same"
        );
        assert_ne!(question.id, Question::of(&reviewing("waves", 3)).id, "another branch of one version");
        assert_ne!(question.id, Question::of(&reviewing("tides", 4)).id);
        assert_eq!(Question::named(&question.id), Some(question));
        let unnamed = ["message", "verdict", "queries-1", "queries-1-5f0a92cg", "-", "topic"];
        assert!(unnamed.iter().all(|text| Question::named(text).is_none()));
    }

    #[test]
    fn what_a_reply_was_read_as_is_a_question_of_its_own() {
        let review = Question::of(&reviewing("tides", 1));
        let asking = |asked| Question::of(&Session { asked: Some(asked), ..reviewing("tides", 1) });
        let (edit, approve) = (asking(Candidate::Edit(vec![Edit::Remove(1)])), asking(Candidate::Approve));
        assert!(edit.id.starts_with("confirm-queries-1-"), "{edit:?}");
        assert!(edit.id != approve.id && edit.id != review.id);
        assert_eq!(Question::named(&edit.id), Some(edit.clone()));
        assert!(edit.is_late(Some(&review)) && review.is_late(Some(&edit)) && edit.is_late(Some(&approve)));
        assert!(edit.is_waiting());
    }

    #[test]
    fn a_message_is_late_for_everything_but_what_it_is_about() {
        let (asked, older) = (Question::of(&reviewing("tides", 2)), Question::of(&reviewing("tides", 1)));
        let nothing = Question::of(&Session::new("c1"));
        assert!(!asked.is_late(Some(&asked)));
        assert!(asked.is_late(Some(&older)) && asked.is_late(Some(&nothing)) && asked.is_late(None));
        assert!(nothing.is_late(Some(&older)), "a verdict on what is gone");
        assert!(!nothing.is_late(None) && !nothing.is_late(Some(&nothing)));
    }
}
