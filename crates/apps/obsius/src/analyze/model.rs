//! The model's plan: its schema, and what becomes of what it writes.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::intent::{Intents, estimated_complexity, keywords, title_of, wants_index};
use super::rules::{READ, plan_by_rules, priority, required_tools};
use crate::state::{Criterion, PlanSource, SearchStrategy, Subtask, SubtaskKind, TaskPlan};

/// A plan as a model writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WrittenPlan {
    /// What to search for.
    pub keywords: Vec<String>,
    /// The title of the note to be made.
    pub title: Option<String>,
    /// The answer, where nothing has to be done.
    pub answer: Option<String>,
    /// The subtasks.
    pub subtasks: Vec<WrittenSubtask>,
}

/// A subtask as a model writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WrittenSubtask {
    /// What it is to achieve.
    pub goal: String,
    /// What it does.
    pub kind: SubtaskKind,
    /// The numbers of earlier subtasks that it needs.
    pub depends_on: Vec<usize>,
    /// What shows that it is done.
    pub criteria: Vec<WrittenCriterion>,
}

/// A criterion as a model writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WrittenCriterion {
    /// Which probe.
    pub check: String,
    /// The note it looks at.
    pub note: Option<String>,
    /// The tag, the text or the statement.
    pub text: Option<String>,
}

/// The kinds of probes that a model may name.
const CHECKS: &[&str] = &[
    "note_exists",
    "note_changed",
    "note_contains",
    "links_resolve",
    "frontmatter_parses",
    "found_linked_from",
    "tag_present",
    "found_tagged",
    "answered",
    "judged",
];

const KINDS: &[&str] = &["search", "read", "organize", "create", "update", "link", "verify", "answer"];

/// The schema of [`WrittenPlan`].
pub fn plan_schema(max_subtasks: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "keywords": {"type": "array", "items": {"type": "string"}, "maxItems": 6},
            "title": {"type": ["string", "null"]},
            "answer": {"type": ["string", "null"]},
            "subtasks": {
                "type": "array",
                "maxItems": max_subtasks,
                "items": {
                    "type": "object",
                    "properties": {
                        "goal": {"type": "string"},
                        "kind": {"enum": KINDS},
                        "depends_on": {"type": "array", "items": {"type": "integer"}},
                        "criteria": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "check": {"enum": CHECKS},
                                    "note": {"type": ["string", "null"]},
                                    "text": {"type": ["string", "null"]}
                                },
                                "required": ["check"],
                                "additionalProperties": false
                            }
                        }
                    },
                    "required": ["goal", "kind"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["subtasks"],
        "additionalProperties": false
    })
}

/// The schema for a model that answers inside a grammar: a title where a note is to be made, and goals of known kinds.
/// Criteria come from the kinds.
pub fn small_plan_schema(max_subtasks: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "subtasks": {
                "type": "array",
                "minItems": 2,
                "maxItems": max_subtasks,
                "items": {
                    "type": "object",
                    "properties": {
                        "kind": {"enum": KINDS},
                        "goal": {"type": "string", "minLength": 4, "maxLength": 60}
                    },
                    "required": ["kind", "goal"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["subtasks"],
        "additionalProperties": false
    })
}

/// A plan, and what had to be corrected in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The plan.
    pub plan: TaskPlan,
    /// Corrections, in words.
    pub repairs: Vec<String>,
}

/// Makes a plan of what a model wrote: at most `max_subtasks`, each with criteria that can be looked up.
///
/// # Errors
/// Why the plan cannot be used: it has no subtask, or does not do what the request asks for.
pub fn compile(written: &WrittenPlan, request: &str, max_subtasks: usize) -> Result<Compiled, String> {
    let mut repairs = Vec::new();
    if written.subtasks.is_empty() {
        return Err("it has no subtask".to_owned());
    }
    if written.subtasks.len() > max_subtasks {
        repairs.push(format!("{} subtasks, of which the first {max_subtasks} are kept", written.subtasks.len()));
    }
    let title = title(written, request, &mut repairs);
    let mut seen = BTreeSet::new();
    let mut tasks: Vec<Subtask> = Vec::new();
    for (at, task) in written.subtasks.iter().take(max_subtasks).enumerate() {
        let goal = task.goal.split_whitespace().collect::<Vec<_>>().join(" ");
        if goal.is_empty() || !seen.insert((task.kind, goal.to_lowercase())) {
            repairs.push(format!("subtask {} has no goal of its own and is left out", at + 1));
            continue;
        }
        let id = (tasks.len() + 1).to_string();
        let mut criteria: Vec<Criterion> = Vec::new();
        for criterion in &task.criteria {
            match read_criterion(criterion, title.as_deref()) {
                Ok(read) if !criteria.contains(&read) => criteria.push(read),
                Ok(_) => {}
                Err(problem) => repairs.push(format!("subtask {id}: {problem}")),
            }
        }
        if criteria.is_empty() {
            criteria = usual_criteria(task.kind, title.as_deref(), request);
        }
        let depends_on = match task.depends_on.as_slice() {
            [] => tasks.last().map(|task| task.id.clone()).into_iter().collect(),
            numbers => numbers.iter().filter(|n| (1..=tasks.len()).contains(*n)).map(usize::to_string).collect(),
        };
        tasks.push(Subtask { id, goal, kind: task.kind, depends_on, criteria });
    }
    covers(&tasks, request)?;
    harden(&mut tasks, title.as_deref(), request);
    let mut words: Vec<String> = Vec::new();
    let lower = request.to_lowercase();
    for word in written.keywords.iter().map(|word| word.trim()).filter(|word| !word.is_empty()) {
        if lower.contains(&word.to_lowercase()) {
            words.push(word.to_owned());
        } else {
            repairs.push(format!("the keyword `{word}` is not in the request and is left out"));
        }
    }
    let complexity = estimated_complexity(request);
    let mut plan = TaskPlan {
        original_request: request.to_owned(),
        decomposed_tasks: tasks,
        priority: priority(complexity),
        estimated_complexity: complexity,
        keywords: if words.is_empty() { keywords(request) } else { words },
        title,
        source: PlanSource::Model,
        ..TaskPlan::default()
    };
    plan.required_tools = required_tools(&plan);
    Ok(Compiled { plan, repairs })
}

/// Adds what must hold of a new note whatever the plan says: its links resolve, and an index links what was found.
fn harden(tasks: &mut [Subtask], title: Option<&str>, request: &str) {
    let Some(title) = title else { return };
    let mut needed = vec![
        Criterion::NoteExists { note: title.to_owned() },
        Criterion::FrontmatterParses { note: title.to_owned() },
        Criterion::LinksResolve { note: title.to_owned() },
    ];
    if wants_index(request) && tasks.iter().any(|task| task.kind == SubtaskKind::Search) {
        needed.push(Criterion::FoundLinkedFrom { note: title.to_owned() });
    }
    needed.retain(|criterion| !tasks.iter().any(|task| task.criteria.contains(criterion)));
    if let Some(create) = tasks.iter_mut().find(|task| task.kind == SubtaskKind::Create) {
        create.criteria.extend(needed);
    }
}

/// The title of the note to be made: the model's where a name can be made of it, else that of the request.
fn title(written: &WrittenPlan, request: &str, repairs: &mut Vec<String>) -> Option<String> {
    let creates = written.subtasks.iter().any(|task| task.kind == SubtaskKind::Create);
    if !creates {
        return None;
    }
    let given = written.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let own = || Some(title_of(request)).filter(|title| !title.is_empty());
    match given {
        None => own(),
        Some(title) => match graphloom_vault::NotePath::for_title("", title) {
            Ok(made) => Some(made.path.name().to_owned()),
            Err(error) => {
                repairs.push(format!("the title `{title}` cannot be a name: {error}"));
                own()
            }
        },
    }
}

/// What shows that a subtask of a kind is done, when its plan does not say.
fn usual_criteria(kind: SubtaskKind, title: Option<&str>, request: &str) -> Vec<Criterion> {
    let judged =
        || vec![Criterion::Judged { question: format!("The pending changes do what was asked: {}", request.trim()) }];
    let about = |make: fn(String) -> Vec<Criterion>| title.map_or_else(judged, |title| make(title.to_owned()));
    match kind {
        SubtaskKind::Search => vec![Criterion::Searched { strategy: SearchStrategy::Keyword }],
        SubtaskKind::Read => vec![Criterion::FoundRead { count: READ }],
        SubtaskKind::Organize => about(|note| vec![Criterion::FoundLinkedFrom { note }]),
        SubtaskKind::Create => {
            about(|note| vec![Criterion::NoteExists { note: note.clone() }, Criterion::FrontmatterParses { note }])
        }
        SubtaskKind::Link => about(|note| vec![Criterion::FoundLinkedFrom { note }]),
        SubtaskKind::Verify => about(|note| vec![Criterion::LinksResolve { note }]),
        SubtaskKind::Update => judged(),
        SubtaskKind::Answer => vec![Criterion::Answered],
    }
}

fn read_criterion(written: &WrittenCriterion, title: Option<&str>) -> Result<Criterion, String> {
    let some = |text: &Option<String>| text.as_deref().map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
    let note = || {
        some(&written.note)
            .or_else(|| title.map(str::to_owned))
            .ok_or_else(|| format!("the criterion `{}` names no note", written.check))
    };
    let text = || some(&written.text).ok_or_else(|| format!("the criterion `{}` has no `text`", written.check));
    Ok(match written.check.as_str() {
        "note_exists" => Criterion::NoteExists { note: note()? },
        "note_changed" => Criterion::NoteChanged { note: note()? },
        "note_contains" => Criterion::NoteContains { note: note()?, text: text()? },
        "links_resolve" => Criterion::LinksResolve { note: note()? },
        "frontmatter_parses" => Criterion::FrontmatterParses { note: note()? },
        "found_linked_from" => Criterion::FoundLinkedFrom { note: note()? },
        "tag_present" => Criterion::TagPresent { note: note()?, tag: text()? },
        "found_tagged" => Criterion::FoundTagged { tag: text()? },
        "answered" => Criterion::Answered,
        "judged" => Criterion::Judged { question: text()? },
        other => return Err(format!("there is no criterion `{other}`; there are {}", CHECKS.join(", "))),
    })
}

/// Whether subtasks do what the words of a request ask for.
fn covers(tasks: &[Subtask], request: &str) -> Result<(), String> {
    let intents = Intents::of(request);
    let has = |kinds: &[SubtaskKind]| tasks.iter().any(|task| kinds.contains(&task.kind));
    use SubtaskKind::{Answer, Create, Link, Organize, Search, Update};
    if intents.create && !has(&[Create, Update]) {
        return Err("the request asks for a new note, and no subtask creates one".to_owned());
    }
    if intents.organize && !has(&[Organize, Update, Link, Create]) {
        return Err("the request asks to organize, and no subtask does".to_owned());
    }
    if (intents.organize || wants_index(request)) && !has(&[Search]) {
        return Err("the request is about notes that are there, and no subtask searches for them".to_owned());
    }
    if (intents.modify || intents.delete || intents.rename) && !intents.create && !has(&[Update, Link, Organize]) {
        return Err("the request asks for a change, and no subtask makes one".to_owned());
    }
    if !intents.changes_something() && !has(&[Answer, Create, Update, Link, Organize]) {
        return Err("no subtask leads to an answer or a change".to_owned());
    }
    Ok(())
}

/// A plan for a request that says what is to be done again, after a person did not approve.
pub(crate) fn or_by_rules(compiled: Result<Compiled, String>, request: &str) -> (TaskPlan, Vec<String>) {
    match compiled {
        Ok(Compiled { plan, repairs }) => (plan, repairs.into_iter().map(|repair| format!("plan: {repair}")).collect()),
        Err(problem) => (
            plan_by_rules(request),
            vec![format!("the model's plan could not be used ({problem}); the plan was made by rules")],
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "Organize all my machine learning notes and create a comprehensive index";

    fn read(value: &Value) -> WrittenPlan {
        serde_json::from_value(value.clone()).unwrap()
    }

    #[test]
    fn criteria_become_probes_and_gaps_are_filled() {
        let written = read(&json!({
            "keywords": ["machine learning", "horses"],
            "title": "ML: index",
            "subtasks": [
                {"goal": "find them", "kind": "search", "depends_on": [], "criteria": []},
                {"goal": "write it", "kind": "create", "depends_on": [1, 9], "criteria": [
                    {"check": "links_resolve"}, {"check": "tag_present", "text": "ml"}, {"check": "tag_present"},
                    {"check": "dance"}
                ]},
                {"goal": "", "kind": "verify"},
            ]
        }));
        let Compiled { plan, repairs } = compile(&written, EXAMPLE, 8).unwrap();
        assert_eq!(plan.title.as_deref(), Some("ML index"));
        assert_eq!(plan.keywords, ["machine learning"]);
        assert_eq!(plan.decomposed_tasks[1].depends_on, ["1"]);
        let note = "ML index".to_owned();
        assert_eq!(
            plan.decomposed_tasks[1].criteria,
            [
                Criterion::LinksResolve { note: note.clone() },
                Criterion::TagPresent { note: note.clone(), tag: "ml".to_owned() },
                Criterion::NoteExists { note: note.clone() },
                Criterion::FrontmatterParses { note: note.clone() },
                Criterion::FoundLinkedFrom { note },
            ]
        );
        assert_eq!(plan.decomposed_tasks[0].criteria, [Criterion::Searched { strategy: SearchStrategy::Keyword }]);
        assert_eq!(repairs.len(), 4, "{repairs:?}");
    }

    #[test]
    fn plans_that_miss_the_request_are_refused() {
        for (value, part) in [
            (json!({"subtasks": []}), "no subtask"),
            (json!({"subtasks": [{"goal": "a", "kind": "search"}]}), "no subtask creates one"),
            (json!({"subtasks": [{"goal": "a", "kind": "create"}]}), "no subtask searches"),
        ] {
            let problem = compile(&read(&value), EXAMPLE, 8).unwrap_err();
            assert!(problem.contains(part), "{problem}");
            let (plan, notices) = or_by_rules(Err(problem), EXAMPLE);
            assert_eq!((plan.source, plan.decomposed_tasks.len()), (PlanSource::Rules, 8));
            assert!(notices[0].contains("by rules"));
        }
    }

    #[test]
    fn a_plan_has_at_most_eight_subtasks() {
        let tasks: Vec<Value> = (0..12)
            .map(|n| json!({"goal": format!("part {n}"), "kind": if n == 0 { "search" } else { "create" }}))
            .collect();
        let compiled = compile(&read(&json!({ "subtasks": tasks })), EXAMPLE, 8).unwrap();
        assert_eq!(compiled.plan.decomposed_tasks.len(), 8);
    }
}
