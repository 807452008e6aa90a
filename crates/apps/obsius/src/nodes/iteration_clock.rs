//! The time of an iteration: that of models and that of the program's own work, each counted apart.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_llm::layers::Ledger;
use graphloom_llm::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::resources::Setup;

/// What time is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeUse {
    /// A model was asked and has not answered yet.
    Models,
    /// Tools, searches, checks: whatever runs while no model is asked.
    Work,
}

impl TimeUse {
    /// The use in the words of a message.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Models => "for models",
            Self::Work => "for tools and searches",
        }
    }
}

/// Counts both times of one visit of a phase.
pub(crate) struct IterationClock {
    counters: Mutex<Counters>,
    /// Notified at every change of the use.
    switched: Notify,
}

struct Counters {
    /// How many calls of models are under way.
    calls: usize,
    since: Instant,
    models: Duration,
    work: Duration,
}

impl IterationClock {
    /// A clock with both times at zero.
    pub(crate) fn new() -> Arc<Self> {
        let counters = Counters { calls: 0, since: Instant::now(), models: Duration::ZERO, work: Duration::ZERO };
        Arc::new(Self { counters: Mutex::new(counters), switched: Notify::new() })
    }

    /// A setup whose models are counted.
    pub(crate) fn setup(self: &Arc<Self>, setup: &Setup) -> Setup {
        let timed = |model: &Arc<dyn ChatModel>| -> Arc<dyn ChatModel> {
            Arc::new(TimedModel { inner: Arc::clone(model), clock: Arc::clone(self) })
        };
        let mut models = Models::new(timed(setup.models.role("default")));
        for role in setup.models.roles() {
            models = models.with_role(role, timed(setup.models.role(role)));
        }
        Setup { models, ..setup.clone() }
    }

    /// The times so far: of models, and of everything else.
    pub(crate) fn elapsed(&self) -> (Duration, Duration) {
        let counters = self.lock();
        let running = counters.since.elapsed();
        match counters.time_use() {
            TimeUse::Models => (counters.models + running, counters.work),
            TimeUse::Work => (counters.models, counters.work + running),
        }
    }

    /// Resolves when one of the two times reaches its limit, and returns which.
    pub(crate) async fn run_out(&self, models: Duration, work: Duration) -> TimeUse {
        loop {
            let switched = self.switched.notified();
            let time_use = self.lock().time_use();
            let (of_models, of_work) = self.elapsed();
            let left = match time_use {
                TimeUse::Models => models.saturating_sub(of_models),
                TimeUse::Work => work.saturating_sub(of_work),
            };
            tokio::select! {
                () = switched => {}
                () = tokio::time::sleep(left) => return time_use,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call of a model until the guard is dropped, also when the call is cancelled.
    fn begin_call(self: &Arc<Self>) -> CallGuard {
        self.update(|counters| counters.calls += 1);
        CallGuard(Arc::clone(self))
    }

    fn update(&self, change: impl FnOnce(&mut Counters)) {
        let mut counters = self.lock();
        let running = counters.since.elapsed();
        match counters.time_use() {
            TimeUse::Models => counters.models += running,
            TimeUse::Work => counters.work += running,
        }
        counters.since = Instant::now();
        change(&mut counters);
        drop(counters);
        self.switched.notify_waiters();
    }
}

impl Counters {
    fn time_use(&self) -> TimeUse {
        if self.calls > 0 { TimeUse::Models } else { TimeUse::Work }
    }
}

struct CallGuard(Arc<IterationClock>);

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.0.update(|counters| counters.calls = counters.calls.saturating_sub(1));
    }
}

/// A model whose time is counted.
struct TimedModel {
    inner: Arc<dyn ChatModel>,
    clock: Arc<IterationClock>,
}

#[async_trait]
impl ChatModel for TimedModel {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn ledger(&self) -> Option<&Arc<Ledger>> {
        self.inner.ledger()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let _call = self.clock.begin_call();
        self.inner.chat(request).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let _call = self.clock.begin_call();
        self.inner.stream(request).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let _call = self.clock.begin_call();
        self.inner.choose(request, options).await
    }
}

#[cfg(test)]
mod tests {
    use graphloom_llm::Scripted;
    use graphloom_test_support::models::delayed;

    use super::*;

    /// Works and asks a model in turns, a second of the one and so many of the other.
    async fn turns(clock: &Arc<IterationClock>, times: usize, seconds: u64) {
        let answers = Scripted::from_fn(|_: &ChatRequest| Ok::<_, ModelError>("yes".to_owned()));
        let slow = delayed(Arc::new(answers), Duration::from_secs(seconds));
        let model = TimedModel { inner: slow, clock: Arc::clone(clock) };
        for _ in 0..times {
            tokio::time::sleep(Duration::from_secs(1)).await;
            model.chat(ChatRequest::default()).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn models_and_work_are_counted_apart_and_either_can_run_out() {
        let [second, minute] = [1, 60].map(Duration::from_secs);
        let clock = IterationClock::new();
        tokio::select! {
            biased;
            () = turns(&clock, 3, 4) => {}
            time_use = clock.run_out(12 * second + second / 2, minute) => panic!("{time_use:?}"),
        }
        assert_eq!(clock.elapsed(), (12 * second, 3 * second));
        for (models, work, expected) in [(10, 60, TimeUse::Models), (60, 2, TimeUse::Work)] {
            let clock = IterationClock::new();
            let out = tokio::select! {
                biased;
                () = turns(&clock, 9, 4) => panic!("the time runs out before"),
                time_use = clock.run_out(models * second, work * second) => time_use,
            };
            assert_eq!(out, expected);
        }
    }
}
