//! The parameters of each action.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Action, Need};

/// What the parameters of an action say of it.
pub trait Parameters: Serialize + DeserializeOwned + JsonSchema + Into<Call> {
    /// The action.
    const ACTION: Action;
    /// What the action does, in one sentence.
    const DESCRIPTION: &'static str;
    /// What must be in the session before it.
    const NEEDS: &'static [Need];
}

/// An action with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", content = "parameters")]
pub enum Call {
    /// See [`Action::GenerateQueries`].
    #[serde(rename = "do-generate-queries")]
    GenerateQueries(GenerateQueries),
    /// See [`Action::LiteratureReview`].
    #[serde(rename = "do-literature-review")]
    LiteratureReview(LiteratureReview),
    /// See [`Action::SynthesizeGap`].
    #[serde(rename = "do-literature-review-gap")]
    SynthesizeGap(SynthesizeGap),
    /// See [`Action::WriteProposal`].
    #[serde(rename = "do-write-proposal")]
    WriteProposal(WriteProposal),
    /// See [`Action::FollowUp`].
    #[serde(rename = "do-follow-up")]
    FollowUp(FollowUp),
    /// See [`Action::ResultNotification`].
    #[serde(rename = "do-result-notification")]
    ResultNotification(ResultNotification),
    /// See [`Action::ReviewQueries`].
    #[serde(rename = "review-queries")]
    ReviewQueries(ReviewQueries),
    /// See [`Action::ReviewReport`].
    #[serde(rename = "review-report")]
    ReviewReport(ReviewReport),
}

impl Call {
    /// The action.
    pub fn action(&self) -> Action {
        match self {
            Self::GenerateQueries(_) => Action::GenerateQueries,
            Self::LiteratureReview(_) => Action::LiteratureReview,
            Self::SynthesizeGap(_) => Action::SynthesizeGap,
            Self::WriteProposal(_) => Action::WriteProposal,
            Self::FollowUp(_) => Action::FollowUp,
            Self::ResultNotification(_) => Action::ResultNotification,
            Self::ReviewQueries(_) => Action::ReviewQueries,
            Self::ReviewReport(_) => Action::ReviewReport,
        }
    }
}

/// What [`Action::GenerateQueries`] takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GenerateQueries {
    /// The topic in the person's words.
    pub topic: String,
    /// What the person did not like about the queries before.
    #[serde(default)]
    pub feedback: Option<String>,
    /// The queries before, which shall not come again.
    #[serde(default)]
    pub existing: Vec<String>,
    /// Whether the newest of the queries before were rejected without a reason; `feedback` is of older ones then.
    #[serde(default)]
    pub unexplained: bool,
}

/// What [`Action::LiteratureReview`] takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiteratureReview {
    /// The approved queries.
    pub queries: Vec<String>,
}

/// What [`Action::SynthesizeGap`] takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SynthesizeGap {
    /// The version of the review.
    pub review: u32,
}

/// What [`Action::WriteProposal`] takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WriteProposal {
    /// The version of the gap.
    pub gap: u32,
    /// What the person did not like about the proposals before, oldest first.
    #[serde(default)]
    pub feedback: Vec<String>,
    /// Whether the newest of the proposals before was rejected without a reason; `feedback` is of older ones then.
    #[serde(default)]
    pub unexplained: bool,
}

/// What [`Action::FollowUp`] takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FollowUp {
    /// What is asked.
    pub question: String,
    /// The action that waits for the answer.
    #[serde(default)]
    pub pending: Option<Action>,
}

/// What [`Action::ResultNotification`] takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultNotification {
    /// The version of the proposal.
    pub proposal: u32,
}

/// What [`Action::ReviewQueries`] takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewQueries {
    /// The version of the queries.
    pub queries: u32,
}

/// What [`Action::ReviewReport`] takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewReport {
    /// The version of the proposal.
    pub proposal: u32,
}

macro_rules! parameters {
    ($($name:ident: $description:literal, $needs:expr;)*) => {$(
        impl Parameters for $name {
            const ACTION: Action = Action::$name;
            const DESCRIPTION: &'static str = $description;
            const NEEDS: &'static [Need] = $needs;
        }
        impl From<$name> for Call {
            fn from(parameters: $name) -> Self {
                Self::$name(parameters)
            }
        }
    )*};
}

parameters! {
    GenerateQueries: "Makes three to five search queries on different aspects of a topic.", &[];
    LiteratureReview: "Searches every source for the approved queries and reads what is found.",
        &[Need::Queries, Need::ApprovedQueries];
    SynthesizeGap: "Says what the reviewed literature leaves open, with its evidence.", &[Need::Review];
    WriteProposal: "Writes a research proposal that fills the gap and cites the reviewed records.", &[Need::Gap];
    FollowUp: "Asks the person something and remembers what waits for the answer.", &[];
    ResultNotification: "Delivers the approved proposal and ends the journey.",
        &[Need::Proposal, Need::ApprovedQueries, Need::ApprovedProposal];
    ReviewQueries: "Shows the queries to the person and waits for a verdict.", &[Need::Queries];
    ReviewReport: "Shows the proposal to the person and waits for a verdict.", &[Need::Proposal];
}
