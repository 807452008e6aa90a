//! The actions of the conversation: what each is called, what it takes, and what must be there before it.
//!
//! An [`Action`] is a name, a [`Call`] is a name with its parameters. Both are enums, and everything that is known of an
//! action is found by a `match` without a wildcard: an action without a declaration does not compile.

mod parameters;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use parameters::{
    Call, FollowUp, GenerateQueries, LiteratureReview, Parameters, ResultNotification, ReviewQueries, ReviewReport,
    SynthesizeGap, WriteProposal,
};

/// An action of the conversation. Its name is what sessions store and what a request may name.
///
/// ```
/// use graphloom_pocketflow::actions::Action;
///
/// let action: Action = serde_json::from_str("\"do-literature-review\"").unwrap();
/// assert_eq!(action.declaration().required, ["queries"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Action {
    /// Makes search queries for a topic.
    #[serde(rename = "do-generate-queries", alias = "do_generate_queries", alias = "Action.do_generate_queries")]
    GenerateQueries,
    /// Searches the literature and reads what is found.
    #[serde(rename = "do-literature-review", alias = "do_literature_review", alias = "Action.do_literature_review")]
    LiteratureReview,
    /// Says what the literature leaves open.
    #[serde(
        rename = "do-literature-review-gap",
        alias = "do_literature_review_gap",
        alias = "Action.do_literature_review_gap"
    )]
    SynthesizeGap,
    /// Writes the proposal.
    #[serde(rename = "do-write-proposal", alias = "do_write_proposal", alias = "Action.do_write_proposal")]
    WriteProposal,
    /// Asks the person something.
    #[serde(rename = "do-follow-up", alias = "do_follow_up", alias = "Action.do_follow_up")]
    FollowUp,
    /// Delivers the approved proposal.
    #[serde(
        rename = "do-result-notification",
        alias = "do_result_notification",
        alias = "Action.do_result_notification"
    )]
    ResultNotification,
    /// Shows the queries and waits for a verdict.
    #[serde(rename = "review-queries", alias = "review_queries", alias = "Action.review_queries")]
    ReviewQueries,
    /// Shows the proposal and waits for a verdict.
    #[serde(rename = "review-report", alias = "review_report", alias = "Action.review_report")]
    ReviewReport,
}

/// Something in the session that an action needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Search queries.
    Queries,
    /// A person's approval of these very queries.
    ApprovedQueries,
    /// A literature review.
    Review,
    /// A gap in the literature.
    Gap,
    /// A proposal.
    Proposal,
    /// A person's approval of this very proposal.
    ApprovedProposal,
}

/// What an action says of itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Declaration {
    /// The action.
    pub action: Action,
    /// What it does, for people and models.
    pub description: &'static str,
    /// The JSON Schema of its parameters.
    pub parameters: Value,
    /// The parameters that it cannot do without.
    pub required: Vec<String>,
    /// What must be in the session.
    pub needs: &'static [Need],
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 8] = [
        Self::GenerateQueries,
        Self::LiteratureReview,
        Self::SynthesizeGap,
        Self::WriteProposal,
        Self::FollowUp,
        Self::ResultNotification,
        Self::ReviewQueries,
        Self::ReviewReport,
    ];

    /// The wire name.
    pub fn name(self) -> &'static str {
        match self {
            Self::GenerateQueries => "do-generate-queries",
            Self::LiteratureReview => "do-literature-review",
            Self::SynthesizeGap => "do-literature-review-gap",
            Self::WriteProposal => "do-write-proposal",
            Self::FollowUp => "do-follow-up",
            Self::ResultNotification => "do-result-notification",
            Self::ReviewQueries => "review-queries",
            Self::ReviewReport => "review-report",
        }
    }

    /// What it is called in messages to people.
    pub fn label(self) -> &'static str {
        match self {
            Self::GenerateQueries => "the search queries",
            Self::LiteratureReview => "the literature review",
            Self::SynthesizeGap => "the research gap",
            Self::WriteProposal => "the proposal",
            Self::FollowUp => "a question",
            Self::ResultNotification => "the result",
            Self::ReviewQueries => "the review of the queries",
            Self::ReviewReport => "the review of the proposal",
        }
    }

    /// The action of a stored name; none for an unknown one.
    pub fn of_name(name: &str) -> Option<Self> {
        serde_json::from_value(Value::String(name.to_owned())).ok()
    }

    /// What the action says of itself.
    pub fn declaration(self) -> Declaration {
        match self {
            Self::GenerateQueries => declare::<GenerateQueries>(),
            Self::LiteratureReview => declare::<LiteratureReview>(),
            Self::SynthesizeGap => declare::<SynthesizeGap>(),
            Self::WriteProposal => declare::<WriteProposal>(),
            Self::FollowUp => declare::<FollowUp>(),
            Self::ResultNotification => declare::<ResultNotification>(),
            Self::ReviewQueries => declare::<ReviewQueries>(),
            Self::ReviewReport => declare::<ReviewReport>(),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn declare<P: Parameters>() -> Declaration {
    let parameters = graphloom_llm::structured::schema_of::<P>();
    let required = parameters.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    Declaration { action: P::ACTION, description: P::DESCRIPTION, parameters, required, needs: P::NEEDS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_names_are_fixed() {
        for action in Action::ALL {
            assert_eq!(serde_json::to_value(action).unwrap(), action.name());
            assert_eq!(Action::of_name(action.name()), Some(action));
            let code = action.name().replace('-', "_");
            assert_eq!(Action::of_name(&code), Some(action));
            assert_eq!(Action::of_name(&format!("Action.{code}")), Some(action));
        }
        assert_eq!(Action::of_name("do-magic"), None);
    }

    #[test]
    fn every_action_declares_itself() {
        let expected: [(&str, &[&str], &[Need]); 8] = [
            ("do-generate-queries", &["topic"], &[]),
            ("do-literature-review", &["queries"], &[Need::Queries, Need::ApprovedQueries]),
            ("do-literature-review-gap", &["review"], &[Need::Review]),
            ("do-write-proposal", &["gap"], &[Need::Gap]),
            ("do-follow-up", &["question"], &[]),
            ("do-result-notification", &["proposal"], &[Need::Proposal, Need::ApprovedQueries, Need::ApprovedProposal]),
            ("review-queries", &["queries"], &[Need::Queries]),
            ("review-report", &["proposal"], &[Need::Proposal]),
        ];
        for (action, (name, required, needs)) in Action::ALL.into_iter().zip(expected) {
            let declared = action.declaration();
            assert_eq!((declared.action, action.name()), (action, name));
            assert_eq!(declared.required, required, "{name}");
            assert_eq!(declared.needs, needs, "{name}");
            assert!(!declared.description.is_empty());
            assert_eq!(declared.parameters["type"], "object", "{name}");
        }
    }
}
