//! What nodes work with beside the state: models, prompts, engines, counts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use graphloom_agents::{Models, Prompts, Strategy};
use graphloom_llm::ChatModel;
use graphloom_llm::layers::{Budget, Ledger, TimeLimited};

use crate::error::DeepSearchError;
use crate::prompts::prompts;
use crate::search::Engines;

/// Of a budget, how much research may spend; the rest is for writing and checking, so that a report is delivered.
const RESEARCH_SHARE: f64 = 0.7;
/// `llm_timeout` by default.
const CALL_LIMIT: Duration = Duration::from_secs(300);
/// How much everything before the checks may spend.
const WRITING_SHARE: f64 = 0.9;

/// The slots that models serve in. Every node names one; a slot without a model of its own falls back to `general`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// All that has no slot of its own.
    #[default]
    General,
    /// Outlines and plans.
    PlanUnderstanding,
    /// The collector.
    InfoCollecting,
    /// Writing of sections.
    WritingChecking,
    /// Looking at charts.
    VlmChartGenerating,
}

impl Slot {
    /// The name of the slot in `llm_config`, which is also the role in `--model`.
    pub fn name(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::PlanUnderstanding => "plan_understanding",
            Self::InfoCollecting => "info_collecting",
            Self::WritingChecking => "writing_checking",
            Self::VlmChartGenerating => "vlm_chart_generating",
        }
    }

    /// The slot of a name, else this one.
    #[must_use]
    pub fn or_named(self, name: &str) -> Self {
        let all = [
            Self::General,
            Self::PlanUnderstanding,
            Self::InfoCollecting,
            Self::WritingChecking,
            Self::VlmChartGenerating,
        ];
        all.into_iter().find(|slot| slot.name() == name).unwrap_or(self)
    }
}

/// Stages of a run, which share its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Questions, outline, plans, collecting.
    Research,
    /// Sections and report.
    Writing,
    /// Charts, citations, inferences.
    Checking,
}

/// What nodes work with beside the state. Nothing here is stored.
pub struct Resources {
    /// The models; roles are the names of the slots, the default is `general`.
    pub models: Models,
    /// The prompts.
    pub prompts: Prompts,
    /// The engines.
    pub search: Engines,
    /// What calls have spent, against the budget of the run.
    pub ledger: Arc<Ledger>,
    /// How long one call of a model may take, further attempts at it included: `llm_timeout`.
    pub call_limit: Duration,
    /// Whether a finished run is checked again: answers that told the judge nothing are asked for once more, and a person
    /// is not asked for changes.
    pub recheck: bool,
}

impl Resources {
    /// Resources with the built-in prompts and no budget.
    ///
    /// # Errors
    /// A prompt that does not compile.
    pub fn new(models: Models, search: Engines) -> Result<Self, DeepSearchError> {
        let ledger = Ledger::new(Budget::default());
        Ok(Self { models, prompts: prompts()?, search, ledger, call_limit: CALL_LIMIT, recheck: false })
    }

    /// The model of a slot. Each of its calls ends within `call_limit`, whoever makes it.
    pub fn model(&self, slot: Slot) -> Arc<dyn ChatModel> {
        Arc::new(TimeLimited::new(self.models.role(slot.name()), self.call_limit))
    }

    /// How the model of a slot is worked with.
    pub fn strategy(&self, slot: Slot) -> Strategy {
        Strategy::of(self.models.role(slot.name()).capabilities())
    }

    /// Whether the model of a slot is asked for what a rule decides as well: it writes freely, and the stage has budget left.
    pub fn may_ask(&self, slot: Slot, stage: Stage) -> bool {
        self.strategy(slot) == Strategy::Free && self.may_spend(stage)
    }

    /// Whether a model was given for the slot itself.
    pub fn has_own_model(&self, slot: Slot) -> bool {
        self.models.roles().any(|role| role == slot.name())
    }

    /// Whether a stage has budget left; when it has not, that is counted, since work is now left out. Research ends at
    /// 70 % of each limit and writing at 90 %, so that what was found is written down.
    pub fn may_spend(&self, stage: Stage) -> bool {
        let may = self.has_left(stage);
        if !may {
            self.ledger.degrade();
        }
        may
    }

    /// Whether a stage has budget left.
    pub fn has_left(&self, stage: Stage) -> bool {
        let share = match stage {
            Stage::Research => RESEARCH_SHARE,
            Stage::Writing => WRITING_SHARE,
            Stage::Checking => 1.0,
        };
        let (budget, spent) = (self.ledger.budget(), self.ledger.spent());
        let time = budget.time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let counts = [
            (budget.calls, spent.calls),
            (budget.tokens, spent.tokens),
            (budget.usd_micros, spent.usd_micros),
            (time, spent.millis),
        ];
        counts.iter().all(|(limit, used)| limit.is_none_or(|limit| (*used as f64) < limit as f64 * share))
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources")
            .field("models", &self.models)
            .field("prompts", &self.prompts)
            .field("search", &self.search)
            .finish_non_exhaustive()
    }
}
