//! A node of three phases.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use async_trait::async_trait;
use graphloom_core_graph::NodeError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the nodes of a flow share.
pub type Store = Map<String, Value>;

/// What a node or a flow is called with.
pub type Params = Map<String, Value>;

/// Which edge is followed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Label(Cow<'static, str>);

impl Label {
    /// The edge without a label.
    pub const DEFAULT: Self = Self(Cow::Borrowed("default"));

    /// The label as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Label {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl From<&str> for Label {
    fn from(label: &str) -> Self {
        Self(Cow::Owned(label.to_owned()))
    }
}

impl From<String> for Label {
    fn from(label: String) -> Self {
        Self(Cow::Owned(label))
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How often an execution is tried, and how long is waited in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempts {
    /// Attempts in all, the first included.
    pub total: NonZeroU32,
    /// The wait before each further attempt.
    pub wait: Duration,
}

impl Attempts {
    /// This many attempts in all, without a wait; one for zero.
    pub fn new(total: u32) -> Self {
        Self { total: NonZeroU32::new(total).unwrap_or(NonZeroU32::MIN), wait: Duration::ZERO }
    }

    /// The same attempts with a wait before each further one.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }
}

impl Default for Attempts {
    fn default() -> Self {
        Self::new(1)
    }
}

/// A node of three phases.
#[async_trait]
pub trait Work: Send + Sync + 'static {
    /// What is read.
    type Prep: Send + Sync;
    /// What is made of it.
    type Exec: Send;

    /// Reads the shared store. It is not tried again.
    async fn prep(&self, shared: &mut Store, params: &Params) -> Result<Self::Prep, NodeError>;

    /// Works on what was read; attempts count from 1. It sees no shared store, so that it can be tried again.
    async fn exec(&self, prepared: &Self::Prep, attempt: u32) -> Result<Self::Exec, NodeError>;

    /// Takes over when the last attempt failed; by default the error stands.
    async fn exec_fallback(&self, _prepared: &Self::Prep, error: NodeError) -> Result<Self::Exec, NodeError> {
        Err(error)
    }

    /// Writes the shared store and names the edge. It is not tried again.
    async fn post(&self, _shared: &mut Store, _prepared: Self::Prep, _done: Self::Exec) -> Result<Label, NodeError> {
        Ok(Label::DEFAULT)
    }

    /// How often [`exec`](Self::exec) is tried.
    fn attempts(&self) -> Attempts {
        Attempts::default()
    }
}

/// Anything that can be a node of a flow.
#[async_trait]
pub(super) trait Runnable: Send + Sync + 'static {
    /// Runs it; `conflicts` takes what runs at once set differently.
    async fn run(&self, shared: &mut Store, params: &Params, conflicts: &mut Vec<String>) -> Result<Label, NodeError>;
}

pub(super) struct Single<W>(pub(super) W);

#[async_trait]
impl<W: Work> Runnable for Single<W> {
    async fn run(&self, shared: &mut Store, params: &Params, _: &mut Vec<String>) -> Result<Label, NodeError> {
        let work = &self.0;
        let prepared = work.prep(shared, params).await?;
        let exec = |attempt| work.exec(&prepared, attempt);
        let done = match try_again(work.attempts(), exec).await {
            Ok(done) => done,
            Err(error) => work.exec_fallback(&prepared, error).await?,
        };
        work.post(shared, prepared, done).await
    }
}

/// Tries an execution as often as is allowed.
pub(super) async fn try_again<T, F>(attempts: Attempts, exec: impl Fn(u32) -> F) -> Result<T, NodeError>
where
    F: Future<Output = Result<T, NodeError>>,
{
    let mut attempt = 1;
    loop {
        match exec(attempt).await {
            Ok(done) => return Ok(done),
            Err(error) if attempt >= attempts.total.get() => return Err(error),
            Err(_) if !attempts.wait.is_zero() => tokio::time::sleep(attempts.wait).await,
            Err(_) => {}
        }
        attempt += 1;
    }
}
