//! A run of the machine beside the model.

use std::sync::Arc;

use super::drawn::{Drawn, Sum, compile};
use super::model::{Id, Model, ModelPhase};
use crate::error::NodeError;
use crate::machine::{Completion, Limits, Machine, Plan, TaskOutcome};
use crate::step::Step;
use crate::tasks::{Stop, TaskId};

pub(super) fn id_of(id: TaskId) -> Id {
    (id.number, id.place)
}

/// What is left, in the machine's words and in the model's.
pub(super) fn compare(machine: &Machine<Sum>, model: &Model<'_>) {
    let of_machine: Vec<_> = machine.frontier.iter().map(|(id, task)| (id_of(id), task.node as usize)).collect();
    let of_model: Vec<_> = model.tasks.iter().map(|(id, task)| (*id, task.node)).collect();
    assert_eq!(of_machine, of_model, "the frontier");
    let notes: Vec<_> = machine.state.notes.iter().cloned().collect();
    assert_eq!(notes, model.notes, "the state");
    let joins: Vec<Vec<u32>> = model.joins.iter().map(|join| join.values().copied().collect()).collect();
    assert_eq!(machine.frontier.joins.counts(), joins, "the joins");
    let open: Vec<_> = machine.frontier.groups.iter().map(|(id, group)| ((id.number, id.place), group.open)).collect();
    let groups: Vec<_> = model.groups.iter().map(|(id, (open, _))| (*id, open.unsigned_abs())).collect();
    assert_eq!(open, groups, "the fan-outs");
    assert_eq!(machine.executed, model.executed);
}

pub(super) fn step(label: String) -> Step<Sum> {
    Step::update(Sum::update().notes([label]).count(1))
}

/// Plays steps of single tasks on the fast path, where the machine takes it; returns the number of them, or nothing when there are no more choices.
pub(super) fn play_single(
    machine: &mut Machine<Sum>,
    model: &mut Model<'_>,
    choose: &mut impl FnMut(usize) -> Option<usize>,
) -> Option<usize> {
    let mut next = machine.take_single_task();
    let mut singles = 0;
    while let Some(single) = next {
        let id = id_of(single.id);
        assert_eq!(model.tasks.len(), 1, "the fast path is for a task that is alone");
        let task = model.tasks.get_mut(&id).expect("the model has the task");
        assert_eq!((task.phase, task.key, task.tries, task.node), (ModelPhase::Waits, None, 0, single.node as usize));
        task.phase = ModelPhase::Runs;
        let step = step(Model::label(task));
        // What is not committed in place goes on as a task in flight.
        if choose(4)? == 0 || !machine.commits_in_place(single, &step) {
            return Some(singles);
        }
        task.phase = ModelPhase::Finished;
        assert!(machine.encode(&step), "it can be encoded");
        let committed = machine.commit_in_place(single, step.update, 0);
        let node = committed.unwrap_or_else(|fault| panic!("{fault:?}")).next;
        next = node.map(|node| machine.following(node));
        model.commit(id);
        compare(machine, model);
        singles += 1;
    }
    Some(singles)
}

/// Plays a run; returns how many of its steps took the fast path.
pub(super) fn play(drawn: &Drawn, concurrency: usize, durable: bool, mut choices: impl Iterator<Item = u32>) -> usize {
    let Some(compiled) = compile(drawn) else { return 0 };
    let limits = Limits { room: None, max_steps: None, concurrency };
    let mut machine = Machine::<Sum>::fresh(Arc::clone(&compiled.executable.topology), "".into(), limits, durable);
    machine.input(None, 0).unwrap_or_else(|fault| panic!("{fault:?}"));
    let mut model = Model::new(drawn);
    compare(&machine, &model);
    let mut now = 0;
    let mut choose = |below: usize| choices.next().map(|choice| choice as usize % below.max(1));
    let mut singles = 0;
    loop {
        now += 1;
        match play_single(&mut machine, &mut model, &mut choose) {
            Some(taken) => singles += taken,
            None => return singles,
        }
        match machine.plan(now) {
            Plan::Dispatch(dispatches) => {
                if dispatches.iter().any(|dispatch| model.tasks[&id_of(dispatch.id)].phase == ModelPhase::Deferred) {
                    assert_eq!(
                        model.in_phase(ModelPhase::Deferred),
                        model.tasks.len(),
                        "deferred means nothing else is left"
                    );
                    model.tasks.values_mut().for_each(|task| task.phase = ModelPhase::Waits);
                }
                for due in &dispatches {
                    let dispatch = machine.start_task(due.id, || now).expect("it is in flight");
                    let task = model.tasks.get_mut(&id_of(dispatch.id)).expect("the model has the task");
                    assert_eq!((task.phase, task.tries + 1), (ModelPhase::Waits, dispatch.attempt));
                    assert_eq!(dispatch.key.as_deref().map(str::to_owned), task.key.map(|key| key.to_string()));
                    let seen = dispatch.state.notes.len();
                    assert!(seen <= model.notes.len());
                    task.phase = ModelPhase::Runs;
                }
                assert!(model.in_phase(ModelPhase::Runs) <= concurrency);
            }
            Plan::Wait { until } => {
                assert_eq!(until, None, "retries are immediate");
                let running: Vec<_> =
                    model.tasks.iter().filter(|(_, task)| task.phase == ModelPhase::Runs).map(|(id, _)| *id).collect();
                let halted = model.in_phase(ModelPhase::Failed) > 0;
                assert!(running.len() == concurrency || model.in_phase(ModelPhase::Waits) == 0 || halted);
                let (Some(pick), Some(fate)) = (choose(running.len()), choose(40)) else { return singles };
                let id = running[pick];
                let machine_id = TaskId { number: id.0, place: id.1 };
                let task = model.tasks.get_mut(&id).expect("it runs");
                let label = Model::label(task);
                let outcome = match fate {
                    0..4 => TaskOutcome::Error(NodeError::retryable("again")),
                    4 => TaskOutcome::Suspended { questions: Vec::new(), swallowed: false },
                    5 => TaskOutcome::Error(NodeError::terminal("broken")),
                    _ => TaskOutcome::done(step(label), 0),
                };
                task.phase = match fate {
                    0..4 if task.tries + 1 < 3 => {
                        task.tries += 1;
                        ModelPhase::Waits
                    }
                    0..4 | 5 => ModelPhase::Failed,
                    4 => ModelPhase::Suspended,
                    _ => ModelPhase::Finished,
                };
                let phase = task.phase;
                match machine.complete(machine_id, outcome, now) {
                    Completion::Commit => {
                        assert_eq!(phase, ModelPhase::Finished);
                        if !drawn.eager {
                            let rest = model.tasks.len() - model.in_phase(ModelPhase::Deferred);
                            assert_eq!(model.in_phase(ModelPhase::Finished), rest, "a step commits whole");
                        }
                        machine.commit(machine_id, now).unwrap_or_else(|fault| panic!("{fault:?}"));
                        model.commit(id);
                        compare(&machine, &model);
                    }
                    Completion::Hold => assert!(!drawn.eager && phase == ModelPhase::Finished),
                    Completion::Retry { .. } => {
                        let failed = machine.attempts(machine_id).failed;
                        assert_eq!((phase, failed), (ModelPhase::Waits, model.tasks[&id].tries));
                        if halted {
                            // It is never woken again, and the model does not know such a phase.
                            return singles;
                        }
                    }
                    Completion::Suspended => assert_eq!(phase, ModelPhase::Suspended),
                    Completion::Failed => assert_eq!(phase, ModelPhase::Failed),
                    Completion::Handle => panic!("no node has an error handler"),
                    Completion::Ready => panic!("nothing was put back"),
                }
            }
            Plan::Stop(reason) => {
                let expected = if model.tasks.is_empty() {
                    Stop::Done
                } else if model.in_phase(ModelPhase::Failed) > 0 {
                    Stop::Failed
                } else {
                    Stop::Waiting
                };
                assert_eq!(reason, expected);
                assert_eq!(model.in_phase(ModelPhase::Runs), 0);
                if reason == Stop::Done {
                    let starved = model.joins.iter().zip(&drawn.joins).filter(|(_, (.., reached))| *reached);
                    assert!(starved.flat_map(|(join, _)| join.values()).all(|count| *count == 0), "it cannot starve");
                }
                return singles;
            }
        }
    }
}
