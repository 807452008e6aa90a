//! What the nodes of a run work with beside its state.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use graphloom_agents::{AgentError, Models};
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::ModelError;
use graphloom_llm::cassette::Cassette;
use graphloom_llm::layers::{Budget, Ledger};
use graphloom_retrieval::Search;
use graphloom_state_machine::{NodeKey, Symbol, TaskAction};
use serde_json::{Value, json};

use crate::breakpoint::Breakpoints;
use crate::profile;
use crate::stage::Setup;

/// What the nodes of a run work with beside its state: models, prompts, what can be searched, counts and recordings.
#[non_exhaustive]
pub struct Resources {
    /// Prompts, profile, models and what can be searched. Limits, date and seed come from the request.
    pub setup: Setup,
    /// What the calls have spent.
    pub ledger: Arc<Ledger>,
    /// Where the run stops for a look.
    pub breaks: Breakpoints,
    /// The recording that is made or played back.
    pub cassette: Option<Arc<Cassette>>,
    /// Makes a time of milliseconds since 1970.
    pub time: fn(u64) -> String,
}

impl Resources {
    /// Resources for reports by these models, with the built-in prompts and profile.
    ///
    /// # Errors
    /// None but a fault of this program: prompts and profile are always the same.
    pub fn report(models: Models) -> Result<Self, AgentError> {
        Ok(Self::of(Setup::new(Arc::new(profile::prompts()?), Arc::new(profile::report()?), models)))
    }

    /// The same for stories.
    ///
    /// # Errors
    /// As [`report`](Self::report).
    pub fn story(models: Models) -> Result<Self, AgentError> {
        Ok(Self::of(Setup::new(Arc::new(profile::prompts()?), Arc::new(profile::story()?), models)))
    }

    /// Resources with other prompts or another profile: no budget, no breakpoints, no recording, and times of results as
    /// dates of HTTP in UTC.
    pub fn of(setup: Setup) -> Self {
        let time = |millis| httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_millis(millis));
        let ledger = Ledger::new(Budget::default());
        Self { setup, ledger, breaks: Breakpoints::default(), cassette: None, time }
    }

    /// The same with something to search.
    #[must_use]
    pub fn searching(mut self, search: Arc<dyn Search>) -> Self {
        self.setup.search = Some(search);
        self
    }

    /// The time of a result: the runtime's, or the recorded one.
    pub(crate) async fn time_text(
        &self,
        cx: &Context<Self>,
        node: &NodeKey,
        action: TaskAction,
    ) -> Result<String, NodeError> {
        let now = (self.time)(cx.now());
        let Some(cassette) = &self.cassette else { return Ok(now) };
        let of = json!({ "node": node, "action": action.name() });
        let work = || async { Ok::<_, ModelError>(Value::String(now)) };
        let message = |message| ModelError::Setup { message };
        let time = cassette.exchange("time", &of, work, message).await?;
        Ok(time.as_str().unwrap_or_default().to_owned())
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources").field("setup", &self.setup).field("breaks", &self.breaks).finish_non_exhaustive()
    }
}
