//! The time of an iteration: that of models and that of the program's own work, each counted apart.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_llm::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::resources::Setup;

/// Whose time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// A model was asked and has not answered yet.
    Models,
    /// Tools, searches, checks: whatever runs while no model is asked.
    Work,
}

impl Whose {
    /// As a sentence names it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Models => "for models",
            Self::Work => "for tools and searches",
        }
    }
}

/// Counts both times of one visit.
pub(crate) struct Clocks {
    counted: Mutex<Counted>,
    /// The time has become the other's.
    turned: Notify,
}

struct Counted {
    /// How many calls of models are under way.
    asked: usize,
    since: Instant,
    models: Duration,
    work: Duration,
}

impl Clocks {
    /// Both at zero.
    pub(crate) fn new() -> Arc<Self> {
        let counted = Counted { asked: 0, since: Instant::now(), models: Duration::ZERO, work: Duration::ZERO };
        Arc::new(Self { counted: Mutex::new(counted), turned: Notify::new() })
    }

    /// A setup whose models are counted.
    pub(crate) fn setup(self: &Arc<Self>, setup: &Setup) -> Setup {
        let timed = |model: &Arc<dyn ChatModel>| -> Arc<dyn ChatModel> {
            Arc::new(Timed { inner: Arc::clone(model), clocks: Arc::clone(self) })
        };
        let mut models = Models::new(timed(setup.models.role("default")));
        for role in setup.models.roles() {
            models = models.with_role(role, timed(setup.models.role(role)));
        }
        Setup { models, ..setup.clone() }
    }

    /// The times so far: of models, and of everything else.
    pub(crate) fn counted(&self) -> (Duration, Duration) {
        let counted = self.lock();
        let running = counted.since.elapsed();
        match counted.whose() {
            Whose::Models => (counted.models + running, counted.work),
            Whose::Work => (counted.models, counted.work + running),
        }
    }

    /// Resolves when one of both has used what it has left, and says which.
    pub(crate) async fn run_out(&self, models: Duration, work: Duration) -> Whose {
        loop {
            let turned = self.turned.notified();
            let whose = self.lock().whose();
            let (of_models, of_work) = self.counted();
            let left = match whose {
                Whose::Models => models.saturating_sub(of_models),
                Whose::Work => work.saturating_sub(of_work),
            };
            tokio::select! {
                () = turned => {}
                () = tokio::time::sleep(left) => return whose,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call of a model begins; it ends when what is returned is dropped, also when the call is.
    fn asked(self: &Arc<Self>) -> Asked {
        self.turn(|counted| counted.asked += 1);
        Asked(Arc::clone(self))
    }

    fn turn(&self, change: impl FnOnce(&mut Counted)) {
        let mut counted = self.lock();
        let running = counted.since.elapsed();
        match counted.whose() {
            Whose::Models => counted.models += running,
            Whose::Work => counted.work += running,
        }
        counted.since = Instant::now();
        change(&mut counted);
        drop(counted);
        self.turned.notify_waiters();
    }
}

impl Counted {
    fn whose(&self) -> Whose {
        if self.asked > 0 { Whose::Models } else { Whose::Work }
    }
}

struct Asked(Arc<Clocks>);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.turn(|counted| counted.asked = counted.asked.saturating_sub(1));
    }
}

/// A model whose time is counted.
struct Timed {
    inner: Arc<dyn ChatModel>,
    clocks: Arc<Clocks>,
}

#[async_trait]
impl ChatModel for Timed {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let _asked = self.clocks.asked();
        self.inner.chat(request).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let _asked = self.clocks.asked();
        self.inner.stream(request).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let _asked = self.clocks.asked();
        self.inner.choose(request, options).await
    }
}

#[cfg(test)]
mod tests {
    use graphloom_llm::Scripted;
    use graphloom_test_support::models::delayed;

    use super::*;

    /// Works and asks a model in turns, a second of the one and so many of the other.
    async fn turns(clocks: &Arc<Clocks>, times: usize, seconds: u64) {
        let answers = Scripted::from_fn(|_: &ChatRequest| Ok::<_, ModelError>("yes".to_owned()));
        let slow = delayed(Arc::new(answers), Duration::from_secs(seconds));
        let model = Timed { inner: slow, clocks: Arc::clone(clocks) };
        for _ in 0..times {
            tokio::time::sleep(Duration::from_secs(1)).await;
            model.chat(ChatRequest::default()).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn models_and_work_are_counted_apart_and_either_can_run_out() {
        let [second, minute] = [1, 60].map(Duration::from_secs);
        let clocks = Clocks::new();
        tokio::select! {
            biased;
            () = turns(&clocks, 3, 4) => {}
            whose = clocks.run_out(12 * second + second / 2, minute) => panic!("{whose:?}"),
        }
        assert_eq!(clocks.counted(), (12 * second, 3 * second));
        for (models, work, expected) in [(10, 60, Whose::Models), (60, 2, Whose::Work)] {
            let clocks = Clocks::new();
            let out = tokio::select! {
                biased;
                () = turns(&clocks, 9, 4) => panic!("the time runs out before"),
                whose = clocks.run_out(models * second, work * second) => whose,
            };
            assert_eq!(out, expected);
        }
    }
}
