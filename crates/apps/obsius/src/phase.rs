//! The phases of a run and the table of their transitions.

use std::sync::LazyLock;

use graphloom_state_machine::{Condition, Group, StatusTable, Symbol, symbols};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

symbols! {
    /// A phase of the workflow.
    pub enum Phase {
        /// The complexity of the request is judged.
        Assess = "assess",
        /// A simple request is answered by one conversation with tools.
        Simple = "simple",
        /// State and configuration are set up.
        Initialize = "initialize",
        /// The request is decomposed, or what is left of it judged.
        Analyze = "analyze",
        /// Information is gathered.
        Search = "search",
        /// Planned actions are carried out.
        Execute = "execute",
        /// What was done is held against the success criteria.
        Reflect = "reflect",
        /// The workflow has ended.
        Complete = "complete",
        /// The workflow has ended by a failure.
        Error = "error",
    }
}

symbols! {
    /// What a phase decides at its end: the label of an arrow between two phases.
    pub enum Decision {
        /// The request is simple.
        IsSimple = "simple task",
        /// The request is complex.
        IsComplex = "complex task",
        /// State and configuration are there.
        Initialized = "initialization complete",
        /// Information is missing.
        SearchRequired = "search required",
        /// Nothing needs to be searched.
        DirectExecution = "direct execution possible",
        /// Nothing is left to do, or the request is answered without an action.
        NothingLeft = "simple task complete",
        /// The searches have been run.
        Gathered = "information gathering complete",
        /// Actions have been carried out and have to be judged.
        EvaluationNeeded = "execution complete, evaluation needed",
        /// Nothing worked, or time ran out.
        AdditionalAnalysis = "additional analysis needed",
        /// The task is complete.
        TaskComplete = "task complete",
        /// Criteria are not met.
        ReanalysisNeeded = "re-analysis needed",
        /// Criteria are met, or a limit is reached.
        CompletionConfirmed = "completion confirmed",
        /// The phase failed.
        Failed = "failure",
    }
}

symbols! {
    /// The work of a phase.
    pub enum Work {
        /// Task complexity assessment.
        Assess = "complexity assessment",
        /// Simple task execution.
        Converse = "direct response and tool execution",
        /// State initialization.
        SetUp = "state initialization",
        /// Task decomposition.
        Decompose = "task decomposition",
        /// Information gathering.
        Gather = "information gathering",
        /// Action performance.
        Act = "action performance",
        /// Result evaluation.
        Evaluate = "result evaluation",
    }
}

impl Condition<Decision> for Decision {
    fn holds(self, made: &Decision) -> bool {
        self == *made
    }
}

/// The type of [`phase_table`].
pub type PhaseTable = StatusTable<Phase, Work, Decision>;

/// Every transition between two phases, and no other. Any phase leads to error on a failure.
///
/// Reflect is the completion check. Execute passes it by in two cases: it goes to analyze when nothing succeeded, and to
/// complete when there is nothing to reflect on.
pub fn phase_table() -> &'static PhaseTable {
    static TABLE: LazyLock<PhaseTable> =
        LazyLock::new(|| build().expect("the built-in phase table passes its own check"));
    &TABLE
}

fn build() -> Result<PhaseTable, graphloom_state_machine::TableError> {
    use Decision as When;
    use Phase::{Analyze, Assess, Complete, Error, Execute, Initialize, Reflect, Search, Simple};

    let mut table = StatusTable::builder()
        .group(Group::Activate, [Assess, Simple, Initialize, Analyze, Search, Execute, Reflect])
        .group(Group::Silence, [Complete, Error])
        .action(Assess, When::IsSimple, Work::Assess, Simple)
        .action(Assess, When::IsComplex, Work::Assess, Initialize)
        .action(Simple, When::TaskComplete, Work::Converse, Complete)
        .action(Initialize, When::Initialized, Work::SetUp, Analyze)
        .action(Analyze, When::SearchRequired, Work::Decompose, Search)
        .action(Analyze, When::DirectExecution, Work::Decompose, Execute)
        .action(Analyze, When::NothingLeft, Work::Decompose, Complete)
        .action(Search, When::Gathered, Work::Gather, Execute)
        .action(Execute, When::EvaluationNeeded, Work::Act, Reflect)
        .action(Execute, When::AdditionalAnalysis, Work::Act, Analyze)
        .action(Execute, When::TaskComplete, Work::Act, Complete)
        .action(Reflect, When::ReanalysisNeeded, Work::Evaluate, Analyze)
        .action(Reflect, When::CompletionConfirmed, Work::Evaluate, Complete);
    for (phase, work) in [
        (Assess, Work::Assess),
        (Simple, Work::Converse),
        (Initialize, Work::SetUp),
        (Analyze, Work::Decompose),
        (Search, Work::Gather),
        (Execute, Work::Act),
        (Reflect, Work::Evaluate),
    ] {
        table = table.action(phase, When::Failed, work, Error);
    }
    table.build()
}

/// Where a decision leads from a phase.
///
/// # Errors
/// [`IllegalTransition`] that names what the phase may decide.
pub fn next_phase(from: Phase, decision: Decision) -> Result<Phase, IllegalTransition> {
    match phase_table().action(from, &decision) {
        Some(rule) => Ok(rule.next),
        None => Err(IllegalTransition { from, what: format!("on `{decision}`") }),
    }
}

/// A change of phase that the table does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("phase `{from}` cannot be left {what}; it is left {}", allowed(*.from))]
pub struct IllegalTransition {
    /// The phase that would be left.
    pub from: Phase,
    /// By what, or to where.
    pub what: String,
}

fn allowed(from: Phase) -> String {
    let rules = phase_table().action_rules(from);
    let exits: Vec<String> = rules.iter().map(|rule| format!("on `{}` to `{}`", rule.condition, rule.next)).collect();
    if exits.is_empty() { "by nothing, it is the end".to_owned() } else { exits.join(", ") }
}

/// One entry of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseVisit {
    /// The phase.
    pub phase: Phase,
    /// The iteration it was visited in, 0 before the first.
    pub iteration: u32,
    /// Milliseconds since 1970, by the runtime's clock.
    pub time: u64,
    /// The decision that led to it; none for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Decision>,
}

/// Where a run stands and how it came there. It only changes along the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseHistory {
    visits: Vec<PhaseVisit>,
}

impl PhaseHistory {
    /// The phase of the run; assess before anything else.
    pub fn current(&self) -> Phase {
        self.visits.last().map_or(Phase::Assess, |visit| visit.phase)
    }

    /// All visits, oldest first.
    pub fn visits(&self) -> &[PhaseVisit] {
        &self.visits
    }

    /// The history after entering `to` by `decision`. Entering the current phase again is no transition.
    ///
    /// # Errors
    /// [`IllegalTransition`] when the table does not lead there.
    pub fn enter(
        &self,
        to: Phase,
        decision: Option<Decision>,
        iteration: u32,
        time: u64,
    ) -> Result<Self, IllegalTransition> {
        let from = self.current();
        let illegal = |what: String| IllegalTransition { from, what };
        match decision {
            Some(decision) if from != to => {
                let reached = next_phase(from, decision)?;
                if reached != to {
                    return Err(illegal(format!("to `{to}` on `{decision}`")));
                }
            }
            None if from != to => return Err(illegal(format!("to `{to}` without a decision"))),
            _ => {}
        }
        let by = decision.filter(|_| from != to);
        let mut history = self.clone();
        history.visits.push(PhaseVisit { phase: to, iteration, time, by });
        Ok(history)
    }
}

/// The table as a Mermaid state diagram.
pub fn mermaid() -> String {
    let mut text = String::from("stateDiagram-v2\n    [*] --> assess\n");
    for phase in Phase::ALL {
        for rule in phase_table().action_rules(*phase) {
            text.push_str(&format!("    {phase} --> {}: {}\n", rule.next, rule.condition));
        }
    }
    text + "    complete --> [*]\n    error --> [*]\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The arrows of the phase diagram, written down a second time.
    const ARROWS: &[(Phase, Phase)] = &[
        (Phase::Initialize, Phase::Analyze),
        (Phase::Analyze, Phase::Search),
        (Phase::Analyze, Phase::Execute),
        (Phase::Analyze, Phase::Complete),
        (Phase::Search, Phase::Execute),
        (Phase::Execute, Phase::Reflect),
        (Phase::Execute, Phase::Analyze),
        (Phase::Execute, Phase::Complete),
        (Phase::Reflect, Phase::Analyze),
        (Phase::Reflect, Phase::Complete),
        (Phase::Assess, Phase::Simple),
        (Phase::Simple, Phase::Complete),
        (Phase::Assess, Phase::Initialize),
    ];

    #[test]
    fn every_pair_of_phases_is_a_transition_exactly_where_the_diagram_has_an_arrow() {
        let ends = [Phase::Complete, Phase::Error];
        for from in Phase::ALL {
            for to in Phase::ALL {
                let drawn = ARROWS.contains(&(*from, *to)) || (*to == Phase::Error && !ends.contains(from));
                let led = Decision::ALL.iter().any(|decision| next_phase(*from, *decision) == Ok(*to));
                assert_eq!(led, drawn, "{from} to {to}");
            }
        }
    }

    #[test]
    fn a_refused_transition_names_the_possible_ones() {
        let error = next_phase(Phase::Search, Decision::TaskComplete).unwrap_err().to_string();
        assert!(error.contains("`search` cannot be left on `task complete`"), "{error}");
        assert!(error.contains("to `execute`"), "{error}");
        assert!(next_phase(Phase::Complete, Decision::Failed).is_err());
    }

    fn any_phase() -> impl Strategy<Value = Phase> {
        prop::sample::select(Phase::ALL)
    }

    fn any_decision() -> impl Strategy<Value = Option<Decision>> {
        prop::option::of(prop::sample::select(Decision::ALL))
    }

    proptest! {
        #[test]
        fn no_walk_leaves_the_table(steps in prop::collection::vec((any_phase(), any_decision()), 0..60)) {
            let arrows: BTreeSet<(Phase, Phase)> = ARROWS.iter().copied().collect();
            let mut history = PhaseHistory::default();
            for (to, decision) in steps {
                let before = history.current();
                if let Ok(after) = history.enter(to, decision, 1, 0) {
                    prop_assert!(before == to || to == Phase::Error || arrows.contains(&(before, to)));
                    history = after;
                } else {
                    prop_assert_ne!(before, to);
                }
            }
        }
    }
}
