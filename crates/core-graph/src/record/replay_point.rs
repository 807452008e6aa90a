//! Where a call of a subgraph goes on that a replay inside of the subgraph made.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::state::{StateError, codec};

/// A checkpoint of an earlier call, which a new call goes on from. Stored as a record of the task that is the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReplayPoint {
    /// The namespace of the earlier call.
    pub(crate) ns: Arc<str>,
    pub(crate) number: u64,
    /// Whether results of durable steps are taken over.
    pub(crate) reuse_once: bool,
    /// Which task of the checkpoint is a call that goes on from a checkpoint in turn, by the last part of its id.
    pub(crate) inner: Option<(Arc<str>, Box<Self>)>,
}

impl ReplayPoint {
    pub(crate) fn encode(&self) -> Result<Arc<[u8]>, StateError> {
        Ok(codec::encode_row("replay", self)?.into())
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, StateError> {
        codec::decode("replay", bytes)
    }

    /// The checkpoint, and those of the calls inside.
    pub(crate) fn checkpoints(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        let all = std::iter::successors(Some(self), |point| point.inner.as_ref().map(|(_, inner)| &**inner));
        all.map(|point| (&point.ns, point.number))
    }
}
