//! What happens next: the decision table of the router, as data.
//!
//! [`decide`] looks the [`Facts`] up in [`RULES`], first match wins; the last rule matches everything, so the table is
//! total. The [`Decision`] says which rule matched and why, and is kept in the session.

mod facts;
mod rules;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use facts::{Facts, Finish, Input, ReplyKind, WaitingKind};
pub use rules::{RULES, Rule};

use crate::actions::Action;

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Next {
    /// This action.
    Run(Action),
    /// The follow-up, with this question.
    Ask(Question),
    /// The action that waits for a parameter, or that failed.
    Retry,
    /// The review that the conversation is in, with the edited text.
    ReviewAgain,
    /// Nothing: the person ended the journey.
    Stop,
}

/// What a follow-up is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Which topic?
    Topic,
    /// The record was damaged: what shall be done?
    Damaged,
    /// The message is too long.
    TooLong,
    /// What was meant: approve, reject or edit?
    Verdict,
    /// Is this what was meant?
    Confirm,
    /// What was meant, then?
    Declined,
    /// What the person asked, answered.
    Answer,
    /// The edit does not fit what is edited.
    Misfit,
    /// The queries were made again too often: edit them by hand?
    EditByHand,
    /// Nothing was found: other queries?
    Broaden,
    /// No source answered: try again?
    Sources,
    /// An action failed: try again?
    Failed,
    /// What was asked for is still missing.
    Slot,
    /// The message was about something else than what is asked by now, which is shown.
    MovedOn,
    /// The proposal is delivered: what can be done with it?
    Delivered,
    /// A topic was named after the end: shall a journey begin with it?
    ConfirmTopic,
}

/// What follows, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Decision {
    /// The rule that matched.
    pub rule: String,
    /// Why the rule is there.
    pub why: String,
    /// What follows.
    pub next: Next,
    /// What the rule was matched against.
    pub facts: Facts,
    /// By which words the message was read so, where one was read.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// What the chosen action lacked, which made a follow-up of it.
    #[serde(default)]
    pub missing: Option<String>,
}

/// Looks the facts up in the table.
///
/// ```
/// use graphloom_pocketflow::actions::Action;
/// use graphloom_pocketflow::decide::{Facts, ReplyKind, Input, Next, WaitingKind, decide};
///
/// let facts = Facts::new(Some(Action::ReviewQueries), WaitingKind::Queries, Input::Reply(ReplyKind::Approve));
/// let decision = decide(&facts);
/// assert_eq!(decision.next, Next::Run(Action::LiteratureReview));
/// assert_eq!(decision.rule, "queries-approved");
/// ```
pub fn decide(facts: &Facts) -> Decision {
    let rule = RULES.iter().find(|rule| rule.matches(facts)).unwrap_or(&rules::ANYTHING);
    Decision {
        rule: rule.id.to_owned(),
        why: rule.why.to_owned(),
        next: rule.next,
        facts: facts.clone(),
        evidence: Vec::new(),
        missing: None,
    }
}
