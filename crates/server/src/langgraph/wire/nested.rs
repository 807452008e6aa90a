//! The states of a graph inside, at the tasks that it is the node of.
//!
//! Nobody here knows its type: what its checkpoints hold is told in the event log, in the form of its own fields.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::Source;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::graph::{Fields, Position, namespace};
use crate::http::Problem;
use crate::langgraph::wire::Lineage;
use crate::langgraph::wire::state_at::StateAt;
use crate::langgraph::wire::task_log::{LoggedCommit, LoggedGraph, TaskLog, planned_at};
use crate::langgraph::wire::tasks::{Places, Task, asked, written};
use crate::langgraph::wire::thread_state::{ThreadStates, Wanted, before, places, source};
use crate::log::Interrupt;
use crate::records::contains_fields;
use crate::runs::interrupts;

/// A graph inside.
pub(super) struct Inside<'t> {
    /// Its namespace in the runtime.
    ns: &'t str,
    graph: &'t LoggedGraph,
    lineage: Lineage,
    told: &'t TaskLog,
    /// The questions of the thread that wait for an answer.
    open: &'t [Interrupt],
}

/// The namespaces that a graph inside of a task may have: that of the call, or one that is kept per thread and named by the
/// nodes that lead to it.
pub(super) fn namespaces_of(task: &str, node: &str) -> [String; 2] {
    let kept = match task.rsplit_once('/') {
        Some((around, _)) => format!("{around}/{node}"),
        None => node.to_owned(),
    };
    [task.to_owned(), kept]
}

impl<'t> Inside<'t> {
    /// The graph inside of a namespace; none where no log tells of it.
    pub(super) fn new(ns: &'t str, told: &'t TaskLog, open: &'t [Interrupt]) -> Option<Self> {
        let graph = told.inside(ns)?;
        let commits = graph.commits.values();
        let lineage = Lineage::of(commits.map(|logged| (logged.number, logged.source, logged.parent, logged.steps)));
        Some(Self { ns, graph, lineage, told, open })
    }

    /// The places that are wanted, and whether their states are shown with those of the graphs inside.
    ///
    /// # Errors
    /// 404 for a checkpoint of which nothing is told.
    fn wanted(&self, states: &ThreadStates<'_>, wanted: Wanted<'_>) -> Result<(Vec<Position>, bool), Problem> {
        let unknown = |id: Uuid| states.unknown_inside(self.ns, id);
        let place = |id: Uuid| Position::read(id, &states.id, self.ns).ok_or_else(|| unknown(id));
        match wanted {
            Wanted::Newest { with_subgraphs } => {
                Ok((self.graph.newest.map(Position::of).into_iter().collect(), with_subgraphs))
            }
            Wanted::At { id, with_subgraphs } => {
                let at = place(id)?;
                let logged = self.graph.commits.get(&at.number);
                match logged.is_some_and(|logged| at.is_folded || logged.source == Source::Input) {
                    true => Ok((vec![at], with_subgraphs)),
                    false => Err(unknown(id)),
                }
            }
            Wanted::Before { before, metadata, limit } => {
                let before = before.map(place).transpose()?;
                let commits = self.graph.commits.values().rev();
                let places = commits
                    .flat_map(|logged| places(logged.number, logged.source).into_iter().map(move |at| (logged, at)));
                let around = self.around(states);
                let matches = |(logged, at): &(&LoggedCommit, Position)| {
                    before.is_none_or(|before| *at < before)
                        && metadata
                            .is_none_or(|part| contains_fields(&self.metadata(states, logged, *at, &around), part))
                };
                Ok((places.filter(matches).map(|(_, at)| at).take(limit).collect(), false))
            }
        }
    }

    /// The state at the checkpoint that was told last.
    pub(super) fn newest(&self, states: &ThreadStates<'_>, with_subgraphs: bool) -> Option<Value> {
        self.state(states, Position::of(self.graph.newest?), with_subgraphs)
    }

    /// The state at a place; none where no log tells it.
    fn state(&self, states: &ThreadStates<'_>, at: Position, with_subgraphs: bool) -> Option<Value> {
        let logged = self.graph.commits.get(&at.number)?;
        let around = self.around(states);
        let values = self.told.values(logged)?;
        let nothing = Fields::new();
        let (values, next, tasks) = if at.is_folded {
            let (next, tasks) = self.tasks(states, logged, with_subgraphs);
            (values, next, tasks)
        } else {
            let before = logged.parent.and_then(|parent| self.graph.commits.get(&parent));
            let values_before = before.and_then(|before| self.told.values(before)).unwrap_or(&nothing);
            let path = format!("{}/__start__:{}.0", self.ns, at.number);
            let mut start = Task::new(&states.id, &path, "__start__", None);
            let changed = |field: &str| logged.changed.iter().any(|changed| **changed == *field);
            start.result = Some(written(values_before, values, changed));
            (values_before, vec!["__start__".to_owned()], vec![start])
        };
        let state = StateAt {
            thread: states.thread,
            ns: self.ns,
            at,
            parent: before(logged.source, logged.parent, at),
            around: Some(&around),
            values,
            next,
            tasks,
            metadata: self.metadata(states, logged, at, &around),
            time: logged.time,
        };
        Some(state.wire())
    }

    /// The tasks that a commit made, and the nodes whose tasks are not finished.
    fn tasks(
        &self,
        states: &ThreadStates<'_>,
        logged: &LoggedCommit,
        with_subgraphs: bool,
    ) -> (Vec<String>, Vec<Task>) {
        let number = logged.number;
        let is_newest = self.graph.newest == Some(number);
        let mut places = Places::default();
        let mut tasks = Vec::new();
        for path in self.graph.tasks_of(number) {
            let Some(told) = self.told.task(path) else { continue };
            let mut task = Task::new(&states.id, path, &told.node, places.next(told.is_sent)).told(Some(told));
            task.interrupts = asked(self.open, self.told, path, is_newest && task.result.is_none());
            for ns in namespaces_of(path, &told.node) {
                if let Some(inside) = Inside::new(&ns, self.told, self.open) {
                    match with_subgraphs {
                        true => task.state = inside.newest(states, true),
                        false => task = task.at_subgraph(states.thread, &ns),
                    }
                    break;
                }
            }
            tasks.push(task);
        }
        let next = if is_newest && !tasks.is_empty() {
            tasks.iter().filter(|task| task.result.is_none()).map(|task| task.name.clone()).collect()
        } else {
            logged.next.iter().map(ToString::to_string).collect()
        };
        (next, tasks)
    }

    fn metadata(
        &self,
        states: &ThreadStates<'_>,
        logged: &LoggedCommit,
        at: Position,
        around: &Map<String, Value>,
    ) -> Fields {
        let step = self.lineage.step(at, logged.steps);
        states.metadata_of(source(logged.source, at), step, around, states.run(logged.run))
    }

    /// The checkpoints of the graphs around, by namespace: those that made the tasks which lead here; of a graph that is kept per
    /// thread the newest.
    fn around(&self, states: &ThreadStates<'_>) -> Map<String, Value> {
        let mut map = Map::new();
        let mut end = 0;
        for segment in self.ns.split('/') {
            let around = &self.ns[..end];
            let newest = || if around.is_empty() { states.head } else { self.told.inside(around)?.newest };
            if let Some(number) = planned_at(segment).or_else(newest) {
                let id = Position::of(number).id(&states.id, around);
                map.insert(namespace(&states.id, around), id.to_string().into());
            }
            end += segment.len() + usize::from(end > 0);
        }
        map
    }
}

impl ThreadStates<'_> {
    fn unknown_inside(&self, ns: &str, id: Uuid) -> Problem {
        let ns = namespace(&self.id, ns);
        Problem::not_found(format!("Checkpoint with ID {id} not found in `{ns}` of thread {}", self.thread))
    }

    /// The states that are wanted of the graph inside of a namespace, as clients name it.
    ///
    /// # Errors
    /// 404 for a namespace or a checkpoint of which nothing is told; the store's.
    pub(super) async fn inside(&self, ns: &str, wanted: Wanted<'_>) -> Result<Vec<Value>, Problem> {
        let mut told = self.told_by_all().await?;
        let open = interrupts(&self.id, &self.graph.view(&self.id, None).await?);
        let Some(known) = told.namespaces().find(|known| namespace(&self.id, known) == ns).cloned() else {
            let detail = format!("No run of thread {} has told of a graph inside at `{ns}`", self.thread);
            return Err(Problem::not_found(detail).about("checkpoint_ns"));
        };
        let (places, with_subgraphs) = match Inside::new(&known, &told, &open) {
            Some(inside) => inside.wanted(self, wanted)?,
            None => (Vec::new(), false),
        };
        let shown = places.iter().flat_map(|at| {
            let parent = told.commit(&known, at.number).filter(|_| !at.is_folded).and_then(|logged| logged.parent);
            std::iter::once(at.number).chain(parent)
        });
        let mut shown: Vec<_> = shown.map(|number| (Arc::clone(&known), number)).collect();
        if with_subgraphs {
            shown.extend(told.newest_within(&known));
        }
        told.read_values(self.host, &shown).await?;
        let inside = Inside::new(&known, &told, &open);
        let states = places.iter().filter_map(|at| inside.as_ref()?.state(self, *at, with_subgraphs));
        let states: Vec<Value> = states.collect();
        match wanted {
            // What the log told of it is no longer kept.
            Wanted::At { id, .. } if states.is_empty() => Err(self.unknown_inside(&known, id)),
            _ => Ok(states),
        }
    }
}
