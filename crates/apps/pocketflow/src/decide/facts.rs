//! What a decision is made from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actions::Action;

/// What a decision is made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Facts {
    /// The action before.
    pub last: Option<Action>,
    /// What the conversation waits for.
    pub waiting: WaitingKind,
    /// What has just happened.
    pub input: Input,
    /// The record could not be read, or names an unknown action.
    #[serde(default)]
    pub damaged: bool,
    /// The queries may be made again.
    #[serde(default)]
    pub tries_left: bool,
}

impl Facts {
    /// Facts of a sound record whose queries may be made again.
    pub fn new(last: Option<Action>, waiting: WaitingKind, input: Input) -> Self {
        Self { last, waiting, input, damaged: false, tries_left: true }
    }
}

/// What the conversation waits for, without its details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitingKind {
    /// A topic, or nothing.
    None,
    /// A verdict on the queries.
    Queries,
    /// A verdict on the proposal.
    Report,
    /// Something that an action lacks.
    Slot,
    /// Nothing: the proposal was delivered, and stays what the conversation is about.
    Delivered,
}

impl WaitingKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::None, Self::Queries, Self::Report, Self::Slot, Self::Delivered];
}

/// What has just happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A person said something.
    #[serde(rename = "heard")]
    Reply(ReplyKind),
    /// An action ended.
    Finished(Finish),
}

/// How a message was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplyKind {
    /// Nothing, or a greeting only.
    Empty,
    /// More than a message may have.
    TooLong,
    /// A topic, or a value that was asked for.
    Text,
    /// Other queries, where they are asked for.
    Queries,
    /// Approval.
    Approve,
    /// Rejection.
    Reject,
    /// Rejection that wants other literature.
    RejectSearch,
    /// Edits that fit.
    Edit,
    /// Edits that a model has to write.
    Revise,
    /// Probably an approval, an edit or an end.
    Candidate,
    /// No to what a reply was nearly read as.
    Declined,
    /// Edits of what is not there.
    Misfit,
    /// A question.
    Question,
    /// Another topic.
    NewTopic,
    /// Another topic, without saying which.
    NewTopicUnnamed,
    /// The end.
    Cancel,
    /// Anything else.
    Unclear,
    /// Try again with the same parameters.
    Retry,
    /// Go on without records.
    Insist,
    /// A verdict, an edit, a question or an answer about something that is no longer what is asked.
    Late,
}

impl ReplyKind {
    /// All readings.
    pub const ALL: [Self; 20] = [
        Self::Empty,
        Self::TooLong,
        Self::Text,
        Self::Queries,
        Self::Approve,
        Self::Reject,
        Self::RejectSearch,
        Self::Edit,
        Self::Revise,
        Self::Candidate,
        Self::Declined,
        Self::Misfit,
        Self::Question,
        Self::NewTopic,
        Self::NewTopicUnnamed,
        Self::Cancel,
        Self::Unclear,
        Self::Retry,
        Self::Insist,
        Self::Late,
    ];
}

/// How an action ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// With its result.
    Ok,
    /// The sources answered, and had nothing.
    NoRecords,
    /// No source answered.
    SourcesFailed,
    /// With an error or a panic.
    Failed,
}

impl Finish {
    /// All ends.
    pub const ALL: [Self; 4] = [Self::Ok, Self::NoRecords, Self::SourcesFailed, Self::Failed];
}
