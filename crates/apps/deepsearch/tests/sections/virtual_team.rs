//! The dependency-driven team with research and writing that only take time, for schedules in virtual time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use graphloom_agents::Models;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{
    Compiled, Context, END, GraphOptions, Node, NodeError, Outcome, START, Snapshot, StateGraph,
};
use graphloom_deepsearch::Resources;
use graphloom_deepsearch::config::{Config, TeamOrder};
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::section::{SectionState, SectionStateUpdate};
use graphloom_deepsearch::state::{Outline, Section, SubReport};
use graphloom_deepsearch::team::{Job, REASON, TeamState, WRITE, Work, dependency_with};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{ModelError, Scripted};

/// A section, the sections that it builds on, and how long its research and its writing take, in milliseconds.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) parents: Vec<String>,
    pub(crate) reason: u64,
    pub(crate) write: u64,
}

/// When what began and ended, in milliseconds.
pub(crate) type Trace = Arc<Mutex<Vec<(Job, u64, u64)>>>;

const WORK: Node = Node::named("work");

/// How long all takes one after the other.
pub(crate) fn sequential(tasks: &[Task]) -> u64 {
    tasks.iter().map(|task| task.reason + task.write).sum()
}

/// The longest way through the real dependencies: no schedule is shorter. Parents stand before their children.
pub(crate) fn critical_path(tasks: &[Task]) -> u64 {
    let (mut reasoned, mut written) = (BTreeMap::new(), BTreeMap::new());
    for task in tasks {
        let after = |ends: &BTreeMap<&str, u64>| {
            task.parents.iter().filter_map(|parent| ends.get(parent.as_str())).copied().max().unwrap_or_default()
        };
        let research = after(&reasoned) + task.reason;
        let text = after(&written).max(research) + task.write;
        reasoned.insert(task.id.as_str(), research);
        written.insert(task.id.as_str(), text);
    }
    written.into_values().max().unwrap_or_default()
}

/// A graph of one node that takes its time.
fn takes(
    work: Work,
    times: &BTreeMap<String, u64>,
    trace: &Trace,
    start: tokio::time::Instant,
) -> Compiled<SectionState, Resources> {
    let (times, trace) = (times.clone(), Arc::clone(trace));
    let mut graph = StateGraph::<SectionState, Resources>::new("takes time");
    graph.add_node(WORK, move |state: Snapshot<SectionState>, _cx: Context<Resources>| {
        let section = state.brief.section.id.clone();
        let time = times.get(&section).copied().unwrap_or_default();
        let trace = Arc::clone(&trace);
        async move {
            let now = || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            let began = now();
            tokio::time::sleep(Duration::from_millis(time)).await;
            let mut report = SubReport::default();
            report.section_id = section.clone();
            report.content.text = format!("# {section}");
            if let Ok(mut trace) = trace.lock() {
                trace.push((Job { work, section }, began, now()));
            }
            let update = SectionState::update();
            let update = if work == Work::Write { update.sub_report(Some(report)) } else { update };
            Ok::<SectionStateUpdate, NodeError>(update)
        }
    });
    graph.add_edge(START, WORK).add_edge(WORK, END);
    graph.compile().unwrap_or_else(|errors| panic!("a graph of one node: {errors}"))
}

/// How long the team takes, in milliseconds of the clock of the runtime, and what it did when. Run it with paused time.
pub(crate) async fn makespan(
    tasks: &[Task],
    order: TeamOrder,
    at_once: u32,
) -> (u64, Vec<(Job, u64, u64)>, Vec<String>) {
    let (trace, start) = (Trace::default(), tokio::time::Instant::now());
    let of =
        |time: fn(&Task) -> u64| tasks.iter().map(|task| (task.id.clone(), time(task))).collect::<BTreeMap<_, _>>();
    let reason = takes(Work::Reason, &of(|task| task.reason), &trace, start);
    let write = takes(Work::Write, &of(|task| task.write), &trace, start);
    let options = GraphOptions::new().replace_graph(REASON, reason).replace_graph(WRITE, write);
    let team = dependency_with(options).unwrap_or_else(|errors| panic!("the team: {errors}"));

    let mut outline = Outline::default();
    outline.id = "1".into();
    outline.sections = tasks
        .iter()
        .map(|task| {
            let mut section = Section::default();
            section.id.clone_from(&task.id);
            section.title.clone_from(&task.id);
            section.parent_ids.clone_from(&task.parents);
            section
        })
        .collect();
    let mut config = Config::default();
    config.dependency_editor_team_order = order;
    config.editor_team_max_concurrency_num = at_once;
    let nobody = Scripted::from_fn(|_| Err::<Reply, _>(ModelError::Setup { message: "nobody is asked".into() }));
    let resources = Resources::new(Models::new(Arc::new(nobody)), Engines::default());
    let resources = resources.unwrap_or_else(|error| panic!("resources: {error}"));
    let threads = team.with_context(resources).with_checkpointer(MemoryCheckpointer::new());
    let outcome = threads.thread("team").run(TeamState::update().outline(outline).config(config)).await;
    let Ok(Outcome::Done(state)) = outcome else { panic!("the team is done: {outcome:?}") };
    assert_eq!(state.finished.len(), tasks.len() * 2, "{:?}", state.notices);
    let order = state.sub_reports().into_iter().map(|report| report.section_id).collect();
    let took = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut trace = trace.lock().map(|trace| trace.clone()).unwrap_or_default();
    trace.sort_by_key(|(job, began, _)| (*began, job.clone()));
    (took, trace, order)
}

/// Times that spread as those of real calls do: log-normal, by a generator of our own so that they are the same
/// everywhere.
#[derive(Debug)]
pub(crate) struct Times(u64);

impl Times {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn uniform(&mut self) -> f64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        (bits as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Milliseconds around a median.
    pub(crate) fn next(&mut self, median: f64) -> u64 {
        let (one, two) = (self.uniform(), self.uniform());
        let normal = (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * two).cos();
        (median * (0.8 * normal).exp()).clamp(1.0, 10_000_000.0) as u64
    }
}
