//! Playing a run that took place elsewhere: the results are given, no node runs.

use std::collections::VecDeque;
use std::sync::Arc;

use compact_str::CompactString;
use smallvec::SmallVec;

use crate::error::RunError;
use crate::executor::run_loop::{Driver, EndedTasks};
use crate::machine::{Completion, Dispatch, Fault, Limits, Machine, Plan, TaskOutcome};
use crate::state::State;
use crate::step::Step;
use crate::tasks::TaskId;
use crate::thread::Imported;
use crate::topology::Topology;

/// The tasks that wait for their results: node, key and id.
#[derive(Default)]
struct Awaited(Vec<(u32, Option<CompactString>, TaskId)>);

impl Awaited {
    /// Dispatches what is ready, and finds the task that a result belongs to.
    fn find<S: State>(&mut self, machine: &mut Machine<S>, imported: &Imported<S>) -> Result<TaskId, RunError> {
        while let Plan::Dispatch(ready) = machine.plan(0) {
            let tasks = ready.into_iter().filter_map(|due| machine.start_task(due.id, || 0));
            self.0.extend(tasks.map(|Dispatch { node, key, id, .. }| (node, key, id)));
        }
        let topology = &machine.topology;
        let (node, key) = (imported.node.as_str(), imported.key.as_deref());
        let of = |(at, waits_for, _): &(u32, Option<CompactString>, TaskId)| {
            topology.node(*at).name.as_str() == node && (key.is_none() || waits_for.as_deref() == key)
        };
        match self.0.iter().position(of) {
            Some(at) => Ok(self.0.remove(at).2),
            None => {
                let shown = |node: &str, key: Option<&str>| {
                    key.map_or_else(|| format!("`{node}`"), |key| format!("`{node}` for `{key}`"))
                };
                let waits: SmallVec<[String; 4]> =
                    self.0.iter().map(|(at, key, _)| shown(topology.node(*at).name.as_str(), key.as_deref())).collect();
                let waits = if waits.is_empty() { "none".to_owned() } else { waits.join(", ") };
                Err(RunError::NotImported { task: shown(node, key), waits })
            }
        }
    }

    fn put_back<S: State>(self, machine: &mut Machine<S>) {
        self.0.into_iter().for_each(|(.., id)| machine.put_back(id, false));
    }
}

/// Plays an import without a store, to find every mistake before anything is written.
pub(super) fn rehearse<S: State>(
    topology: &Arc<Topology<S>>,
    input: S::Update,
    made: &VecDeque<Imported<S>>,
) -> Result<(), RunError> {
    let limits = Limits { room: None, max_steps: None, concurrency: usize::MAX };
    let mut machine = Machine::fresh(Arc::clone(topology), "".into(), limits, false);
    machine.input(Some(input), 0).map_err(|fault| fault.of_change("an input"))?;
    let mut awaited = Awaited::default();
    for imported in made {
        let id = awaited.find(&mut machine, imported)?;
        if let Completion::Commit = machine.complete(id, TaskOutcome::done(imported.step.clone(), 0), 0) {
            machine.commit(id, 0).map_err(|fault| failure_of(&machine, *fault))?;
        }
    }
    Ok(())
}

/// The error of a result that cannot be committed.
fn failure_of<S: State>(machine: &Machine<S>, fault: Fault) -> RunError {
    match fault {
        Fault::Task => machine.failure_of_run(),
        Fault::Run(error) => error,
    }
}

/// Commits an input and results as a run would that had them. What is left waits to be continued.
pub(super) async fn import<S: State, Cx: Send + Sync + 'static>(
    driver: &mut Driver<S, Cx>,
    input: S::Update,
    made: VecDeque<Imported<S>>,
) -> Result<(), RunError> {
    driver.recorder.begin_run(&driver.machine, "input").await;
    driver.take_input(Some(input)).await?;
    let mut awaited = Awaited::default();
    for Imported { node, key, step } in made {
        let imported = Imported { node, key, step: Step::edges() };
        let id = awaited.find(&mut driver.machine, &imported)?;
        driver.settle(EndedTasks::from_iter([(id, TaskOutcome::done(step, 0))])).await?;
        if let Some(fault) = driver.fault.take() {
            return Err(fault);
        }
    }
    awaited.put_back(&mut driver.machine);
    Ok(())
}
