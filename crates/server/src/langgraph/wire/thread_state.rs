//! The state of a thread at a checkpoint, as the wire has it.

use std::ops::RangeInclusive;

use graphloom_core_graph::checkpoint::{CheckpointRow, Checkpointer, HistoryFilter, Source};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::graph::{Fields, Graph, Position, View};
use crate::host::Host;
use crate::http::Problem;
use crate::langgraph::wire::nested::{Inside, namespaces_of};
use crate::langgraph::wire::state_at::StateAt;
use crate::langgraph::wire::task_log::TaskLog;
use crate::langgraph::wire::tasks::{Places, Task, asked, written};
use crate::langgraph::wire::{Lineage, empty_state};
use crate::records::{Copied, RunRecord, RunStatus, ThreadRecord, contains_fields};
use crate::runs::interrupts;

/// The states of one thread.
pub(crate) struct ThreadStates<'h> {
    pub(super) host: &'h Host,
    pub(super) graph: &'h dyn Graph,
    pub(super) thread: Uuid,
    /// The thread's id as the runtime has it.
    pub(super) id: String,
    runs: Vec<RunRecord>,
    /// The threads that it is a copy of, the first one first, with their runs.
    originals: Vec<(Copied, Vec<RunRecord>)>,
    lineage: Lineage,
    /// The checkpoint at the head.
    pub(super) head: Option<u64>,
}

/// Which states of a graph are wanted.
#[derive(Clone, Copy)]
pub(crate) enum Wanted<'w> {
    Newest {
        with_subgraphs: bool,
    },
    At {
        id: Uuid,
        with_subgraphs: bool,
    },
    /// Those before a place, newest first, whose metadata contain something.
    Before {
        before: Option<Uuid>,
        metadata: Option<&'w Fields>,
        limit: usize,
    },
}

impl<'h> ThreadStates<'h> {
    /// Prepares to look at a thread.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn new(host: &'h Host, graph: &'h dyn Graph, record: &ThreadRecord) -> Result<Self, Problem> {
        let (thread, id) = (record.thread_id, record.thread_id.to_string());
        let runs = host.manager.records().runs.of_thread(thread).await?;
        let mut originals = Vec::new();
        for copied in &record.copied {
            originals.push((*copied, host.manager.records().runs.of_thread(copied.thread).await?));
        }
        let checkpoints = &*host.manager.stores().checkpoints;
        let lineage = Lineage::read(checkpoints, &id, "").await?;
        let head = checkpoints.checkpoint(&id, "", None).await?.map(|row| row.number);
        Ok(Self { host, graph, thread, id, runs, originals, lineage, head })
    }

    pub(super) fn checkpoints(&self) -> &dyn Checkpointer {
        &*self.host.manager.stores().checkpoints
    }

    /// The states that are wanted of the graph of a namespace, as clients name it; empty for the root graph.
    ///
    /// # Errors
    /// 404 for a namespace or a checkpoint that is not there; the store's, and those of a thread of another graph.
    pub(crate) async fn find(&self, ns: &str, wanted: Wanted<'_>) -> Result<Vec<Value>, Problem> {
        if !ns.is_empty() {
            return self.inside(ns, wanted).await;
        }
        match wanted {
            Wanted::Newest { with_subgraphs } => Ok(vec![self.head(with_subgraphs).await?]),
            Wanted::At { id, with_subgraphs } => Ok(vec![self.at(id, with_subgraphs).await?]),
            Wanted::Before { before, metadata, limit } => {
                let before = before.map(|id| Position::read(id, &self.id, "").ok_or_else(|| self.unknown(id)));
                self.history(before.transpose()?, metadata, limit).await
            }
        }
    }

    fn unknown(&self, id: Uuid) -> Problem {
        Problem::not_found(format!("Checkpoint with ID {id} not found in thread {}", self.thread))
    }

    /// The state as the thread stands.
    async fn head(&self, with_subgraphs: bool) -> Result<Value, Problem> {
        let view = self.graph.view(&self.id, None).await?;
        let Some(row) = view.checkpoint.clone() else { return Ok(empty_state()) };
        let is_wanted = with_subgraphs || !view.tasks.is_empty();
        let mut told =
            if is_wanted { self.told(std::slice::from_ref(&row), with_subgraphs).await? } else { TaskLog::default() };
        self.read_newest_inside(&mut told, with_subgraphs).await?;
        self.folded(&view, &row, &told, with_subgraphs).await
    }

    /// The state at a checkpoint.
    async fn at(&self, id: Uuid, with_subgraphs: bool) -> Result<Value, Problem> {
        let unknown = || self.unknown(id);
        let at = Position::read(id, &self.id, "").ok_or_else(unknown)?;
        let row = self.checkpoints().checkpoint(&self.id, "", Some(at.number)).await?.ok_or_else(unknown)?;
        if !at.is_folded && row.source != Source::Input {
            return Err(unknown());
        }
        let mut told = self.told(std::slice::from_ref(&row), with_subgraphs).await?;
        self.read_newest_inside(&mut told, with_subgraphs).await?;
        self.state(&row, at, &told, with_subgraphs).await
    }

    /// The states before a place, newest first: those whose metadata contain something, at most `limit`.
    async fn history(
        &self,
        before: Option<Position>,
        metadata: Option<&Fields>,
        limit: usize,
    ) -> Result<Vec<Value>, Problem> {
        let mut states = Vec::new();
        let mut next = before;
        while states.len() < limit {
            let mut filter = HistoryFilter::default();
            // The place before an input stands beside its checkpoint.
            filter.before = next.map(|at| at.number + u64::from(at.is_folded));
            filter.limit = Some((limit - states.len()).clamp(16, PAGE));
            let rows = self.checkpoints().checkpoints(&self.id, "", &filter).await?;
            let Some(last) = rows.last() else { break };
            let places: Vec<(&CheckpointRow, Position)> = rows
                .iter()
                .flat_map(|row| places(row.number, row.source).into_iter().map(move |at| (row, at)))
                .filter(|(_, at)| next.is_none_or(|next| *at < next))
                .filter(|(row, at)| metadata.is_none_or(|part| contains_fields(&self.metadata(row, *at), part)))
                .take(limit - states.len())
                .collect();
            next = Some(Position::before_input(last.number));
            let shown: Vec<CheckpointRow> = places.iter().map(|(row, _)| (*row).clone()).collect();
            let told = self.told(&shown, false).await?;
            for (row, at) in places {
                match self.state(row, at, &told, false).await {
                    Ok(state) => states.push(state),
                    // What was there before the input was deleted.
                    Err(problem) if problem.status == 404 && !at.is_folded => {}
                    Err(problem) => return Err(problem),
                }
            }
        }
        Ok(states)
    }

    /// Reads the newest states of the graphs inside, where they are shown.
    async fn read_newest_inside(&self, told: &mut TaskLog, is_shown: bool) -> Result<(), Problem> {
        if is_shown {
            let newest: Vec<_> = told.newest_within("").collect();
            told.read_values(self.host, &newest).await?;
        }
        Ok(())
    }

    /// What the runs told that made these checkpoints, or went on from them: of the tasks of these checkpoints, or of all with
    /// the states of the graphs inside.
    async fn told(&self, rows: &[CheckpointRow], with_subgraphs: bool) -> Result<TaskLog, Problem> {
        let numbers = || rows.iter().map(|row| row.number);
        let (Some(first), Some(last)) = (numbers().min(), numbers().max()) else { return Ok(TaskLog::default()) };
        let concerns = |run: &RunRecord| numbers().any(|number| run.base == Some(number) || made(run, number));
        self.told_by(concerns, (!with_subgraphs).then_some(&(first..=last))).await
    }

    /// What all runs told.
    pub(super) async fn told_by_all(&self) -> Result<TaskLog, Problem> {
        self.told_by(|_| true, None).await
    }

    async fn told_by(
        &self,
        is_wanted: impl Fn(&RunRecord) -> bool,
        tasks_of: Option<&RangeInclusive<u64>>,
    ) -> Result<TaskLog, Problem> {
        let mut told = TaskLog::default();
        for (copied, runs) in &self.originals {
            let runs: Vec<&RunRecord> = runs.iter().filter(|run| is_wanted(run)).collect();
            told.read(self.host, copied.thread, &runs, Some(copied.last), tasks_of).await?;
        }
        let runs: Vec<&RunRecord> = self.runs.iter().filter(|run| is_wanted(run)).collect();
        told.read(self.host, self.thread, &runs, None, tasks_of).await?;
        Ok(told)
    }

    /// A run of the thread.
    pub(super) fn run(&self, id: Uuid) -> Option<&RunRecord> {
        self.runs.iter().find(|run| run.run_id == id)
    }

    /// The run that made a checkpoint.
    fn run_of(&self, number: u64) -> Option<&RunRecord> {
        self.runs.iter().rev().find(|run| made(run, number))
    }

    async fn state(
        &self,
        row: &CheckpointRow,
        at: Position,
        told: &TaskLog,
        with_subgraphs: bool,
    ) -> Result<Value, Problem> {
        if at.is_folded {
            let view = self.view(row.number).await?;
            return self.folded(&view, row, told, with_subgraphs).await;
        }
        let values = match row.parent {
            Some(parent) => self.view(parent).await?.values,
            None => self.graph.outline().initial.clone(),
        };
        let mut start = Task::new(&self.id, &format!("__start__:{}.0", row.number), "__start__", None);
        let input = self.run_of(row.number).and_then(|run| run.kwargs.get("input")?.as_object());
        start.result = Some(match input {
            Some(input) => Value::Object(self.graph.outline().known(input.clone()).0),
            // Of a copy no run is known.
            None => {
                let after = self.view(row.number).await?.values;
                written(&values, &after, |field| row.fields.of(field) == Some(row.number))
            }
        });
        Ok(self.assemble(row, at, &values, vec!["__start__".to_owned()], vec![start]))
    }

    async fn has_checkpoint(&self, ns: &str) -> Result<bool, Problem> {
        Ok(self.checkpoints().checkpoint(&self.id, ns, None).await?.is_some())
    }

    async fn view(&self, number: u64) -> Result<View, Problem> {
        Ok(self.graph.view(&self.id, Some(number)).await?)
    }

    async fn folded(
        &self,
        view: &View,
        row: &CheckpointRow,
        told: &TaskLog,
        with_subgraphs: bool,
    ) -> Result<Value, Problem> {
        let at = Position::of(row.number);
        let open = interrupts(&self.id, view);
        let mut places = Places::default();
        let (mut tasks, mut next) = (Vec::new(), Vec::new());
        for pending in &view.tasks {
            let place = places.next(pending.key.is_some());
            let mut task = Task::new(&self.id, &pending.id, &pending.node, place).told(told.task(&pending.id));
            // At the head a question that is not open was answered; anywhere else it is what was asked there.
            let waits = task.result.is_none() && self.head == Some(row.number);
            task.interrupts = asked(&open, told, &pending.id, waits);
            for ns in namespaces_of(&pending.id, &pending.node) {
                let inside = Inside::new(&ns, told, &open);
                // Of a task that waits it is shown where its state is, also where no log tells it.
                if inside.is_none() && !(waits && self.has_checkpoint(&ns).await?) {
                    continue;
                }
                if with_subgraphs {
                    task.state = inside.and_then(|inside| inside.newest(self, true));
                } else {
                    task = task.at_subgraph(self.thread, &ns);
                }
                break;
            }
            if task.result.is_none() && view.tasks.len() == 1 {
                task.result = self.result_of_only(view, row).await?;
            }
            if !pending.finished {
                next.push(pending.node.clone());
            }
            tasks.push(task);
        }
        Ok(self.assemble(row, at, &view.values, next, tasks))
    }

    /// What the only task of a checkpoint wrote, from the checkpoint after it, where no log tells it.
    async fn result_of_only(&self, view: &View, row: &CheckpointRow) -> Result<Option<Value>, Problem> {
        let after = self.checkpoints().checkpoint(&self.id, "", Some(row.number + 1)).await?;
        let Some(after) = after.filter(|after| after.parent == Some(row.number) && after.source == Source::Step) else {
            return Ok(None);
        };
        let values = self.view(after.number).await?.values;
        Ok(Some(written(&view.values, &values, |field| after.fields.of(field) == Some(after.number))))
    }

    fn assemble(
        &self,
        row: &CheckpointRow,
        at: Position,
        values: &Fields,
        next: Vec<String>,
        tasks: Vec<Task>,
    ) -> Value {
        let state = StateAt {
            thread: self.thread,
            ns: "",
            at,
            parent: before(row.source, row.parent, at),
            around: None,
            values,
            next,
            tasks,
            metadata: self.metadata(row, at),
            time: row.time,
        };
        state.wire()
    }

    /// What is known of a place beside the state.
    fn metadata(&self, row: &CheckpointRow, at: Position) -> Fields {
        self.metadata_of(source(row.source, at), self.lineage.step(at, row.step), &Map::new(), self.run_of(row.number))
    }

    /// The metadata of a place that a run made, below these parents.
    pub(super) fn metadata_of(&self, source: &str, step: i64, parents: &Fields, run: Option<&RunRecord>) -> Fields {
        let mut metadata = run.map(|run| run.metadata.clone()).unwrap_or_default();
        metadata.insert("source".to_owned(), source.into());
        metadata.insert("step".to_owned(), step.into());
        metadata.insert("parents".to_owned(), Value::Object(parents.clone()));
        if let Some(run) = run {
            metadata.insert("run_id".to_owned(), run.run_id.to_string().into());
        }
        metadata.insert("thread_id".to_owned(), self.id.clone().into());
        metadata.insert("graph_id".to_owned(), self.graph.outline().name.clone().into());
        if let Some(run) = run {
            metadata.insert("assistant_id".to_owned(), run.assistant_id.to_string().into());
        }
        metadata
    }
}

/// Checkpoints that are read at a time.
const PAGE: usize = 256;

/// Whether a run made a checkpoint of the root graph. Of a run under way it is not yet recorded which it made.
fn made(run: &RunRecord, number: u64) -> bool {
    match run.checkpoints {
        Some((first, last)) => (first..=last).contains(&number),
        None => run.status == RunStatus::Running && run.base.is_none_or(|base| base < number),
    }
}

/// The places at a checkpoint that are told, newest first.
pub(super) fn places(number: u64, source: Source) -> Vec<Position> {
    let mut places = vec![Position::of(number)];
    if source == Source::Input {
        places.push(Position::before_input(number));
    }
    places
}

/// The place before one at a checkpoint that something made from a parent.
pub(super) fn before(source: Source, parent: Option<u64>, at: Position) -> Option<Position> {
    if at.is_folded && source == Source::Input {
        return Some(Position::before_input(at.number));
    }
    parent.map(Position::of)
}

/// What made a place, in the words of the wire: an input is folded by the first super-step.
pub(super) fn source(source: Source, at: Position) -> &'static str {
    match source {
        Source::Input if !at.is_folded => "input",
        Source::Update => "update",
        Source::Fork => "fork",
        _ => "loop",
    }
}
