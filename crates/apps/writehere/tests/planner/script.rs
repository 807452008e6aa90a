//! A scripted model with a known plan for every task, and runs of the graph on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Compiled, Threads};
use graphloom_llm::scripted::{Reply, Scripted, rendered};
use graphloom_llm::{ChatModel, ChatRequest, ModelError, fence};
use graphloom_retrieval::{Evidence, Hit, Search, SearchAnswer, Source};
use graphloom_state_machine::{Cause, Symbol};
use graphloom_writehere::profile;
use graphloom_writehere::stage::Setup;
use graphloom_writehere::{Mode, Request, Resources, Schedule, TaskType, Writing, graph};
use serde_json::{Value, json};

/// What the planner will decide for a task: its type, the siblings it names, and its own plan.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    task_type: TaskType,
    needs: Vec<usize>,
    inner: Vec<Part>,
}

pub(crate) fn search(needs: &[usize]) -> Part {
    Part { task_type: TaskType::Search, needs: needs.to_vec(), inner: Vec::new() }
}

pub(crate) fn think(needs: &[usize], inner: Vec<Part>) -> Part {
    Part { task_type: TaskType::Think, needs: needs.to_vec(), inner }
}

pub(crate) fn write(needs: &[usize], inner: Vec<Part>) -> Part {
    Part { task_type: TaskType::Write, needs: needs.to_vec(), inner }
}

/// Plans by goal. The goal of a task ends with its way from the root, so that each prompt tells which task it is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script(BTreeMap<String, Value>);

pub(crate) const ROOT: &str = "Write about tides";

impl Script {
    pub(crate) fn new(parts: &[Part]) -> Self {
        let mut script = Self::default();
        script.add("", parts);
        script
    }

    fn add(&mut self, outer: &str, parts: &[Part]) {
        let plan: Vec<Value> = parts.iter().enumerate().map(|(at, part)| task(outer, at, part)).collect();
        self.0.insert(goal(outer), json!(plan));
        for (at, part) in parts.iter().enumerate() {
            // Thinking takes its plan from the plan around it, and is never asked for one.
            if part.task_type == TaskType::Write && !part.inner.is_empty() {
                self.add(&id(outer, at), &part.inner);
            }
        }
    }

    /// A strong model: it judges, plans and answers by the task that the prompt is about.
    pub(crate) fn model(self) -> Scripted {
        Scripted::from_fn(move |request| Ok::<_, ModelError>(Reply::text(self.reply(request))))
    }

    pub(crate) fn reply(&self, request: &ChatRequest) -> String {
        let prompt = rendered(request);
        if prompt.contains("<current_turn_search_querys>") {
            // Three rounds of queries, and a fourth that ends the search.
            let round = (1..=4).find(|round| prompt.contains(&format!("this is round {round} of"))).unwrap();
            let queries = if round < 4 { format!("[\"tides, round {round}\"]") } else { "[]".to_owned() };
            return format!(
                "<observation>seen in round {round}</observation><current_turn_search_querys>{queries}</current_turn_search_querys>"
            );
        }
        if prompt.contains("Put together what answers the search") {
            let goal = fence::text_from(&prompt, "the goal of the search").unwrap();
            return format!("<result>{goal}: found [reference:moon#1]</result>");
        }
        let goal = goal_of(&prompt);
        if prompt.contains("<atomic_task_determination>") {
            let verdict = if self.0.contains_key(&goal) { "complex" } else { "atomic" };
            return format!(
                "<result><goal_updating></goal_updating><atomic_task_determination>{verdict}</atomic_task_determination></result>"
            );
        }
        if prompt.contains("You plan for a team") {
            return format!("<result>{}</result>", json!({ "sub_tasks": self.0[&goal] }));
        }
        if prompt.contains("<article>") {
            return format!("<article>Text of: {goal} [reference:moon#1].</article>");
        }
        format!("<result>Thoughts of: {goal}</result>")
    }
}

fn task(outer: &str, at: usize, part: &Part) -> Value {
    let id = id(outer, at);
    let needs: Vec<String> = part.needs.iter().map(|at| self::id(outer, *at)).collect();
    let mut task = json!({"id": id, "task_type": part.task_type, "goal": goal(&id), "dependency": needs});
    if part.task_type == TaskType::Write {
        task["length"] = json!("600 words");
    } else {
        task["sub_tasks"] = part.inner.iter().enumerate().map(|(at, part)| self::task(&id, at, part)).collect();
    }
    task
}

fn id(outer: &str, at: usize) -> String {
    if outer.is_empty() { (at + 1).to_string() } else { format!("{outer}.{}", at + 1) }
}

pub(crate) fn goal(id: &str) -> String {
    if id.is_empty() { ROOT.to_owned() } else { format!("{ROOT}, part {id}") }
}

/// The goal in the task that a prompt fences.
pub(crate) fn goal_of(prompt: &str) -> String {
    let task = fence::text_from(prompt, "the task");
    let task: Value = serde_json::from_str(task.unwrap_or_else(|| panic!("no task in: {prompt}"))).unwrap();
    task["goal"].as_str().unwrap().to_owned()
}

/// Finds one passage, whatever is asked.
struct FixedEvidence;

#[async_trait]
impl Search for FixedEvidence {
    fn engines(&self) -> Vec<String> {
        vec!["shelf".to_owned()]
    }

    async fn search(&self, query: &str, _: usize) -> SearchAnswer {
        // Each round finds something new, so that no search ends for want of results.
        let round = query.chars().last().filter(char::is_ascii_digit).unwrap_or('1');
        let source = Source::Local { root: "docs".into(), path: "moon.md".into() };
        let text = format!("The moon moves the water, says passage {round}.");
        let hit = Hit::new(Evidence::new(format!("moon#{round}"), source, "The moon", text), 1.0, "");
        SearchAnswer::of("shelf", query, vec![hit])
    }
}

pub(crate) type Runs = Threads<Writing, Resources>;

pub(crate) fn runs(mode: Mode, model: Arc<dyn ChatModel>, store: &MemoryCheckpointer) -> Runs {
    runs_over(graph(), mode, model, store)
}

/// Runs of a graph with options.
pub(crate) fn runs_over(
    graph: Compiled<Writing, Resources>,
    mode: Mode,
    model: Arc<dyn ChatModel>,
    store: &MemoryCheckpointer,
) -> Runs {
    let profile = if mode == Mode::Report { profile::report() } else { profile::story() }.unwrap();
    let mut setup = Setup::new(Arc::new(profile::prompts().unwrap()), Arc::new(profile), Models::new(model));
    if mode == Mode::Report {
        setup.search = Some(Arc::new(FixedEvidence));
    }
    let mut resources = Resources::of(setup);
    resources.time = |_| "2026-01-02 03:04:05".to_owned();
    graph.with_context(resources).with_checkpointer(store.clone())
}

pub(crate) fn request(mode: Mode, schedule: Schedule) -> Request {
    let mut request = Request::default();
    request.goal = ROOT.to_owned();
    (request.mode, request.schedule, request.words) = (mode, schedule, Some(4000));
    request
}

/// Runs to the end.
pub(crate) async fn finished(mode: Mode, schedule: Schedule, parts: &[Part]) -> Arc<Writing> {
    let model: Arc<dyn ChatModel> = Arc::new(Script::new(parts).model());
    let runs = runs(mode, model, &MemoryCheckpointer::new());
    let outcome = runs.thread("run").run(Writing::update().request(request(mode, schedule))).await.unwrap();
    outcome.done().unwrap_or_else(|other| panic!("{other:?}"))
}

/// The actions in the order of their commits, as `task action`.
pub(crate) fn actions(writing: &Writing) -> Vec<String> {
    let taken = writing.tree.log().filter_map(|transition| match &transition.cause {
        Cause::Action { action, .. } => Some(format!("{} {}", transition.node, action.name())),
        _ => None,
    });
    taken.collect()
}

/// How often each agent was called.
pub(crate) fn calls(writing: &Writing) -> BTreeMap<String, u64> {
    let mut calls = BTreeMap::new();
    for call in &writing.calls {
        *calls.entry(call.exchange.agent.clone()).or_default() += call.exchange.calls();
    }
    calls
}
