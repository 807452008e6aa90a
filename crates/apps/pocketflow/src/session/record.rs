//! The record itself.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Artifacts;
use crate::actions::{Action, Need};
use crate::decide::{Decision, WaitingKind};
use crate::feedback::Candidate;

/// The schema that this program writes. Schema 1 had one result as text. Schema 2 had records and reports of its own,
/// where 3 has those of the literature search.
pub const SCHEMA: u32 = 3;

/// What a conversation keeps between turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Session {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The conversation.
    pub conversation_id: String,
    /// Counts saves; 0 for a record that was never saved.
    pub revision: u64,
    /// The topic of the journey.
    pub topic: Option<String>,
    /// The message that began the journey.
    pub original_query: Option<String>,
    /// The action before.
    pub last_action: Option<Action>,
    /// What the conversation waits for.
    pub waiting_for: Waiting,
    /// What the last reply was nearly read as, and the person was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Candidate>,
    /// What each action was last called with.
    pub params: BTreeMap<Action, Value>,
    /// What the actions made.
    pub artifacts: Artifacts,
    /// Which versions a person approved.
    pub approvals: Approvals,
    /// The result of the last action in one line.
    pub action_result: Option<String>,
    /// What the person did not like about the proposals, oldest first.
    pub feedback: Vec<String>,
    /// How often something was made again.
    pub cycles: Cycles,
    /// What was said.
    pub history: Vec<Line>,
    /// What was done in this journey, and by which rule.
    pub journey: Vec<JourneyStep>,
    /// The last decision with its reasons.
    pub decision: Option<Decision>,
    /// How far the journey is.
    pub status: Status,
    /// A topic that the person named after the end, until they say whether a journey shall begin with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_topic: Option<String>,
    /// Earlier journeys.
    pub archive: Vec<Archived>,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// What the conversation waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Waiting {
    /// A topic, or nothing.
    #[default]
    None,
    /// A verdict on the queries.
    Queries,
    /// A verdict on the proposal.
    Report,
    /// Something that an action lacks.
    Slot {
        /// The action that is run with the answer.
        action: Action,
        /// The parameters that it lacks; empty when it is only to be tried again.
        #[serde(default)]
        missing: Vec<String>,
    },
}

/// Which versions a person approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Approvals {
    /// Of the queries.
    pub queries: Option<u32>,
    /// Of the proposal.
    pub proposal: Option<u32>,
}

/// How often something was made again because it was rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cycles {
    /// The queries.
    pub queries: u32,
    /// The proposal.
    pub report: u32,
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The program.
    Assistant,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// By whom.
    pub role: Role,
    /// What.
    pub text: String,
    /// When, in milliseconds since 1970.
    #[serde(default)]
    pub at: u64,
}

/// Something that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JourneyStep {
    /// The action; none when the journey ended.
    pub action: Option<Action>,
    /// The rule of the decision table.
    pub rule: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The question that the message was about; none when the step follows another action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// By which words the message was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
}

/// How far a journey is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// On its way.
    #[default]
    Active,
    /// Its proposal was delivered.
    Complete,
    /// The person ended it.
    Cancelled,
}

/// A journey that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Archived {
    /// Its topic.
    pub topic: Option<String>,
    /// How it ended; `active` when a new topic replaced it.
    pub status: Status,
    /// What it made.
    pub artifacts: Artifacts,
    /// What was done.
    pub journey: Vec<JourneyStep>,
}

impl Default for Session {
    fn default() -> Self {
        Self::new("")
    }
}

impl Session {
    /// The session of a conversation in which nothing was said.
    pub fn new(conversation_id: impl Into<String>) -> Self {
        Self {
            schema: SCHEMA,
            conversation_id: conversation_id.into(),
            revision: 0,
            topic: None,
            original_query: None,
            last_action: None,
            waiting_for: Waiting::None,
            asked: None,
            params: BTreeMap::new(),
            artifacts: Artifacts::default(),
            approvals: Approvals::default(),
            action_result: None,
            feedback: Vec::new(),
            cycles: Cycles::default(),
            history: Vec::new(),
            journey: Vec::new(),
            decision: None,
            status: Status::Active,
            offered_topic: None,
            archive: Vec::new(),
            unknown: Map::new(),
        }
    }

    /// What the conversation waits for, without its details.
    pub fn waiting_kind(&self) -> WaitingKind {
        match &self.waiting_for {
            Waiting::None if self.status == Status::Complete && self.artifacts.proposal.is_some() => {
                WaitingKind::Delivered
            }
            Waiting::None => WaitingKind::None,
            Waiting::Queries => WaitingKind::Queries,
            Waiting::Report => WaitingKind::Report,
            Waiting::Slot { .. } => WaitingKind::Slot,
        }
    }

    /// Whether other queries are asked for: a search with those that were approved has found nothing, or failed.
    pub fn wants_queries(&self) -> bool {
        matches!(&self.waiting_for, Waiting::Slot { action: Action::LiteratureReview, missing } if !missing.is_empty())
    }

    /// Whether the session holds what an action needs. An approval counts for the version that was approved only.
    pub fn has(&self, need: Need) -> bool {
        let artifacts = &self.artifacts;
        match need {
            Need::Queries => artifacts.queries.is_some(),
            Need::Review => artifacts.review.is_some(),
            Need::Gap => artifacts.gap.is_some(),
            Need::Proposal => artifacts.proposal.is_some(),
            Need::ApprovedQueries => {
                artifacts.queries.as_ref().is_some_and(|queries| self.approvals.queries == Some(queries.version))
            }
            Need::ApprovedProposal => {
                artifacts.proposal.as_ref().is_some_and(|proposal| self.approvals.proposal == Some(proposal.version))
            }
        }
    }

    /// Notes what was said.
    pub fn say(&mut self, role: Role, text: impl Into<String>, at: u64) {
        self.history.push(Line { role, text: text.into(), at });
    }

    /// Puts the journey into the archive and begins anew. What was said stays.
    pub fn restart(&mut self) {
        let begun = !self.journey.is_empty() || self.topic.is_some();
        let fresh = Self::new(self.conversation_id.clone());
        let old = std::mem::replace(self, fresh);
        (self.revision, self.history, self.archive) = (old.revision, old.history, old.archive);
        (self.unknown, self.decision) = (old.unknown, old.decision);
        if begun {
            self.archive.push(Archived {
                topic: old.topic,
                status: old.status,
                artifacts: old.artifacts,
                journey: old.journey,
            });
        }
    }
}
