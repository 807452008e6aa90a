//! Action `plan`: the inner tasks of a task, in the original's order of decision.

use graphloom_agents::{AgentError, Parsed};
use graphloom_llm::ResponseFormat;
use graphloom_llm::parse::read_value;
use graphloom_retrieval::answer::Request;
use graphloom_state_machine::TreeChange;
use serde::Serialize;

use super::ask::{agent, seeded};
use super::judge::{judge, update};
use super::{Outcome, Setup, StageError, TaskContext};
use crate::TaskType;
use crate::context::PromptArgs;
use crate::inner_graph::plan_to_graph;
use crate::plan::{
    Outer, Plan, PlanError, PlanRules, PlanShape, PlanStats, RawPlan, check_plan, plan_schema, read_plan, repair_plan,
};
use crate::task::{Planning, Task, TaskChange, Tree};

/// Plans a task: by rule where the profile says so, by judgement and planning otherwise.
pub(super) async fn plan(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let node = context.node()?;
    let task_type = node.payload.info.task_type;
    let settings = &setup.profile.settings;
    let atom = settings.atom(task_type);
    let rules = setup.plan_rules();
    let mut outcome = Outcome::nothing(context.key);
    let mut changes: Vec<TaskChange> = Vec::new();
    let mut tree = context.tree.clone();
    let has_parents = !node.parents.is_empty();
    let constrained = agent(setup, "plan", task_type.word())?.is_constrained();

    let drawn = if atom.all_atom {
        if atom.update_goal && (has_parents || !atom.only_on_depend) && !constrained {
            let judged = update(setup, context, &context.args(setup)?).await?;
            outcome.exchanges.extend(judged.exchanges);
            outcome.notes.extend(judged.notes);
            changes.extend(judged.goal.map(|goal| TaskChange::Goal { goal }));
        }
        None
    } else if atom.use_candidate_plan {
        let candidate = node.payload.candidate_plan.clone().filter(|tasks| !tasks.is_empty()).map(RawPlan::of_tasks);
        let limit = candidate.as_ref().and_then(|_| limit(setup, context));
        let allowed = candidate.filter(|_| limit.is_none());
        outcome.notes.extend(limit);
        allowed
    } else if atom.force_atom_layer.is_some_and(|layer| context.key.layer() >= layer) {
        None
    } else if let Some(limit) = limit(setup, context) {
        outcome.notes.push(limit);
        None
    } else if constrained && is_small(setup, context) {
        None
    } else if constrained {
        Some(plan_by_schema(setup, context, &rules, &mut outcome).await?)
    } else {
        let judged = judge(setup, context, &context.args(setup)?, atom.update_diff && has_parents).await?;
        outcome.exchanges.extend(judged.exchanges);
        outcome.notes.extend(judged.notes);
        if !judged.think.is_empty() {
            changes.push(TaskChange::Judged { think: judged.think });
        }
        changes.extend(judged.goal.map(|goal| TaskChange::Goal { goal }));
        apply(&mut tree, context, &changes);
        if judged.atomic {
            None
        } else {
            plan_by_words(setup, TaskContext { tree: &tree, ..context }, &rules, &mut outcome).await?
        }
    };

    apply(&mut tree, context, &changes[..]);
    let task: Task = tree.node(context.key).map_or_else(|| (*node.payload).clone(), |node| (*node.payload).clone());
    let plan = match &drawn {
        Some(raw) => repair_plan(raw, outer(&task), &rules),
        None => Plan::atomic(),
    };
    if let Some(raw) = drawn {
        outcome.notes.extend(plan.repairs().iter().map(|repair| format!("plan of task `{}`: {repair}", context.key)));
        let stats = PlanStats::of(&raw);
        changes.push(TaskChange::Planned { planning: Planning::new(raw.tasks, plan.repairs().to_vec(), stats) });
    }
    let children = plan_to_graph(&plan, &task, rules.chains);
    let mut all: Vec<TreeChange<Task>> =
        changes.into_iter().map(|change| TreeChange::changed(context.key.clone(), change)).collect();
    all.push(TreeChange::planned(context.key.clone(), children));
    outcome.change = TreeChange::All(all);
    Ok(outcome)
}

/// Applies changes to a copy of the tree; applying the same ones again changes nothing.
fn apply(tree: &mut Tree, context: TaskContext<'_>, changes: &[TaskChange]) {
    for change in changes {
        tree.apply(TreeChange::changed(context.key.clone(), change.clone()));
    }
}

fn outer(task: &Task) -> Outer<'_> {
    let info = &task.info;
    Outer { id: &info.id, goal: &info.goal, task_type: info.task_type, length: info.length.as_deref() }
}

/// The note to leave where a limit of the user makes a task atomic.
fn limit(setup: &Setup, context: TaskContext<'_>) -> Option<String> {
    let (key, at, nodes) = (context.key, context.key.layer(), context.tree.len());
    let note = |reason: String| Some(format!("task `{key}` is carried out without planning: {reason}"));
    if setup.max_depth.is_some_and(|depth| at >= depth) {
        return note(format!("layer {at} is the deepest allowed"));
    }
    if setup.max_nodes.is_some_and(|most| nodes >= most) {
        return note(format!("the tree has {nodes} nodes"));
    }
    None
}

/// Whether a model that answers inside a grammar carries a task out without planning.
fn is_small(setup: &Setup, context: TaskContext<'_>) -> bool {
    let small = &setup.profile.settings.small;
    let words = context.tree.node(context.key).and_then(|node| node.payload.words());
    context.key.layer() >= small.force_atom_layer || words.is_some_and(|words| words <= small.atomic_words)
}

/// Asks for a plan in words. A reply with faults is sent back as often as the rules say; when no reply holds a plan, the
/// model is given the shape of one, and when that gives none either, the task is carried out as it is.
async fn plan_by_words(
    setup: &Setup,
    context: TaskContext<'_>,
    rules: &PlanRules,
    outcome: &mut Outcome,
) -> Result<Option<RawPlan>, StageError> {
    let args = context.args(setup)?;
    outcome.notes.extend(args.cuts.iter().map(|cut| format!("planning task `{}`: {cut}", context.key)));
    let task = &context.node()?.payload;
    let agent = agent(setup, "plan", &args.task_type)?;
    let tag = agent.spec().tag("plan");
    let asked = agent.ask(&args, seeded(setup, &context, "plan"), |reply| {
        let raw = read_plan(reply.text, tag).map_err(|error| error.to_string())?;
        if reply.attempt <= rules.strict_tries && !reply.last {
            let plan = check_plan(&raw, outer(task), rules).map_err(|error| error.to_string())?;
            if plan.is_atomic() {
                return Err(PlanError::Empty.to_string());
            }
        }
        let repaired = repair_plan(&raw, outer(task), rules);
        let notes = repaired.repairs().iter().map(ToString::to_string).collect();
        Ok(Parsed::with_notes(raw, notes))
    });
    match asked.await {
        Ok(answer) => {
            outcome.exchanges.push(answer.exchange);
            if repair_plan(&answer.value, outer(task), rules).is_atomic() {
                let key = context.key;
                outcome.notes.push(format!(
                    "task `{key}` was judged to need a plan, but its plan has no tasks; it is carried out as a whole"
                ));
            }
            Ok(Some(answer.value))
        }
        Err(AgentError::Unusable { exchange, problem, .. }) => {
            outcome.exchanges.push(*exchange);
            let key = context.key;
            // A model that cannot plan in words is led like the small ones: it plans no deeper than they do.
            if key.layer() < setup.profile.settings.small.force_atom_layer {
                let raw = plan_by_schema(setup, context, rules, outcome).await?;
                if raw.tasks.is_empty() {
                    return Ok(None);
                }
                outcome.notes.push(format!(
                    "no plan for task `{key}` could be read ({}); the model filled in a plan of a given shape",
                    brief(&problem)
                ));
                return Ok(Some(raw));
            }
            let problem = brief(&problem);
            outcome
                .notes
                .push(format!("no plan for task `{key}` could be read ({problem}); it is carried out as a whole"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The arguments of the prompt for a plan inside a grammar.
#[derive(Serialize)]
struct ShapedArgs<'a> {
    #[serde(flatten)]
    args: &'a PromptArgs,
    slots: Vec<&'static str>,
}

/// Asks for a plan of a given shape: goals and dependencies are the model's. For models that answer inside a grammar, and
/// for others that could not put a plan into words.
async fn plan_by_schema(
    setup: &Setup,
    context: TaskContext<'_>,
    rules: &PlanRules,
    outcome: &mut Outcome,
) -> Result<RawPlan, StageError> {
    let args = context.args(setup)?;
    let node = context.node()?;
    let task_type = node.payload.info.task_type;
    let search = rules.allowed.contains(&TaskType::Search);
    let per_part = setup.profile.settings.small.words_per_part;
    let shape = PlanShape::for_task(task_type, node.payload.words(), search, per_part);
    let slots = shape.slots.iter().filter_map(|types| types.first()).map(|t| t.word()).collect();
    let agent = agent(setup, "plan", task_type.word())?;
    let prompt = ShapedArgs { args: &args, slots };
    let schema = plan_schema(&shape, &node.payload.info.id);
    let mut ask = seeded(setup, &context, "plan");
    ask.template.clone_from(&agent.spec().small);
    ask.format = ResponseFormat::JsonSchema { name: "plan".to_owned(), schema: schema.clone() };
    ask.accept_incomplete = true;
    let asked = agent.ask(&prompt, ask, |reply| {
        // Servers keep to schemas more or less; what such a plan lacks is repaired like that of any other.
        let fits = read_value(reply.text, Some(&schema)).map(|parsed| parsed.value.to_string());
        let raw = match &fits {
            Ok(value) => read_plan(value, "result"),
            Err(_) => read_plan(reply.text, "result"),
        };
        let mut raw = raw.map_err(|error| error.to_string())?;
        complete(&mut raw, &shape);
        if agent.is_constrained() {
            share_parts(&mut raw, &Request::of(&args.to_run_root_question));
        }
        match fits {
            Err(failure) if !reply.last => Err(failure.to_string()),
            _ => Ok(Parsed::new(raw)),
        }
    });
    match asked.await {
        Ok(answer) => {
            outcome.exchanges.push(answer.exchange);
            Ok(answer.value)
        }
        Err(AgentError::Unusable { exchange, problem, .. }) => {
            outcome.exchanges.push(*exchange);
            outcome.notes.push(format!(
                "no plan for task `{}` could be read ({}); it is carried out as a whole",
                context.key,
                brief(&problem)
            ));
            Ok(RawPlan::of_tasks(Vec::new()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Fills in what the shape says of each task and a reply left out: its type, and that writing waits for all else.
fn complete(raw: &mut RawPlan, shape: &PlanShape) {
    raw.tasks.truncate(shape.slots.len());
    let mut before: Vec<String> = Vec::new();
    for (task, types) in raw.tasks.iter_mut().zip(&shape.slots) {
        let Some(usual) = types.first() else { continue };
        if task.task_type.is_none() {
            task.task_type = Some(usual.word().to_owned());
        }
        if *usual == TaskType::Write {
            task.dependency.get_or_insert_with(|| before.clone());
        } else {
            task.dependency.get_or_insert_default();
            before.extend(task.id.clone());
        }
    }
}

/// Gives the parts of a request that has several to the tasks, in order: to the searches and to the writing alike. A small
/// model's own goals leave parts out.
fn share_parts(raw: &mut RawPlan, request: &Request) {
    let parts = request.parts();
    for word in [TaskType::Search.word(), TaskType::Write.word()] {
        let mut tasks: Vec<_> = raw.tasks.iter_mut().filter(|task| task.task_type.as_deref() == Some(word)).collect();
        if parts.len() < 2 || tasks.is_empty() {
            continue;
        }
        let count = tasks.len();
        for (at, task) in tasks.iter_mut().enumerate() {
            let from = at * parts.len() / count;
            let to = ((at + 1) * parts.len() / count).max(from + 1);
            let texts: Vec<&str> = parts[from..to].iter().map(|part| part.text.as_str()).collect();
            task.goal = Some(texts.join("; "));
        }
    }
}

/// The beginning of a complaint, for a note; the record of the call has the whole.
fn brief(problem: &str) -> String {
    const MOST: usize = 160;
    match problem.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &problem[..end]),
        None => problem.to_owned(),
    }
}
