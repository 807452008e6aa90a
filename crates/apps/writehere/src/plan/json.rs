//! Plans in JSON: nested `sub_tasks`, as the original's planner writes them.

use graphloom_llm::parse::read_value;
use serde_json::{Map, Value, json};

use super::{PlanError, PlanForm, RawPlan, RawTask, Repair, RepairKind};

/// The names under which a list of tasks is accepted, the usual one first.
const LISTS: [&str; 6] = ["sub_tasks", "subtasks", "tasks", "plan", "children", "sub-tasks"];
/// Deeper layers than this are not read; a plan is expanded layer by layer anyway.
const MAX_LAYERS: usize = 16;

/// Reads a plan from text that holds JSON: bare, fenced, with comments or trailing commas, or amid prose.
pub(super) fn read(source: &str) -> Result<RawPlan, PlanError> {
    let list_first = match (source.find('['), source.find('{')) {
        (Some(list), Some(object)) => list < object,
        (Some(_), None) => true,
        _ => false,
    };
    let list = json!({ "type": "array", "items": { "type": "object" } });
    let parsed = if list_first {
        read_value(source, Some(&list)).or_else(|_| read_value(source, None))
    } else {
        read_value(source, None)
    };
    match parsed {
        Ok(parsed) => from_value(&parsed.value),
        Err(failure) => Err(PlanError::NoPlan { message: failure.to_string() }),
    }
}

/// Reads a plan from a JSON value.
fn from_value(value: &Value) -> Result<RawPlan, PlanError> {
    let mut plan = RawPlan { form: PlanForm::Json, tasks: Vec::new(), alone: false, repairs: Vec::new() };
    match value {
        Value::Array(list) => plan.tasks = tasks(list, "", &mut plan.repairs),
        Value::Object(object) => match LISTS.iter().find_map(|name| object.get_key_value(*name)) {
            Some((name, Value::Array(list))) => plan.tasks = tasks(list, name, &mut plan.repairs),
            Some((_, inner @ Value::Object(_))) if !object.contains_key("goal") => return from_value(inner),
            Some((_, Value::Null)) | None if is_task(object) => {
                plan.alone = true;
                plan.tasks = vec![task(object, "", 0, Some(&mut plan.repairs))];
            }
            Some((name, other)) => {
                return Err(PlanError::NoPlan { message: format!("`{name}` is {}, not a list", kind_of(other)) });
            }
            None => match object.iter().find(|(_, inner)| inner.is_object()) {
                Some((_, inner)) if object.len() == 1 => return from_value(inner),
                _ => return Err(PlanError::NoPlan { message: "the JSON object has no `sub_tasks`".into() }),
            },
        },
        other => return Err(PlanError::NoPlan { message: format!("the JSON is {}, not an object", kind_of(other)) }),
    }
    Ok(plan)
}

fn is_task(object: &Map<String, Value>) -> bool {
    object.contains_key("goal") && (object.contains_key("id") || object.contains_key("task_type"))
}

fn tasks(list: &[Value], name: &str, repairs: &mut Vec<Repair>) -> Vec<RawTask> {
    let mut found = Vec::with_capacity(list.len());
    for (index, entry) in list.iter().enumerate() {
        let place = format!("{name}[{index}]");
        match entry {
            Value::Object(object) => found.push(task(object, &place, 0, Some(repairs))),
            other => repairs.push(Repair {
                kind: RepairKind::NotATask,
                task: String::new(),
                place,
                found: format!("an entry of the plan is {}, not a task", kind_of(other)),
                done: "left out".into(),
            }),
        }
    }
    found
}

/// Reads one task. Only the first layer is judged; deeper ones are when their turn comes.
fn task(object: &Map<String, Value>, place: &str, layer: usize, mut repairs: Option<&mut Vec<Repair>>) -> RawTask {
    let field = |names: &[&str]| names.iter().find_map(|name| object.get(*name));
    let id = field(&["id", "task_id"]);
    let name = id.map(text).unwrap_or_default().unwrap_or_default();
    let mut note = |kind: RepairKind, field: &str, found: String, done: &str| {
        if let Some(repairs) = repairs.as_deref_mut() {
            let place = if place.is_empty() { field.to_string() } else { format!("{place}.{field}") };
            repairs.push(Repair { kind, task: name.clone(), place, found, done: done.into() });
        }
    };
    if let Some(number @ Value::Number(_)) = id {
        note(RepairKind::IdIsNumber, "id", format!("the id is the number {number}"), "read as text");
    }
    let dependency = match field(&["dependency", "dependencies", "depends_on"]) {
        None => {
            note(
                RepairKind::DependencyMissing,
                "dependency",
                "it does not say what it depends on".into(),
                "taken as nothing",
            );
            None
        }
        Some(Value::Null) => {
            note(RepairKind::DependencyNull, "dependency", "the dependencies are `null`".into(), "taken as nothing");
            None
        }
        Some(Value::String(list)) => {
            let parts = split_ids(list);
            if !list.trim().is_empty() {
                note(
                    RepairKind::DependencyIsText,
                    "dependency",
                    format!("the dependencies are the text `{list}`"),
                    "read as a list",
                );
            }
            Some(parts)
        }
        Some(Value::Array(list)) => {
            let mut ids = Vec::with_capacity(list.len());
            for entry in list {
                match entry {
                    Value::String(id) => ids.extend(split_ids(id)),
                    Value::Number(number) => {
                        note(
                            RepairKind::DependencyIsNumber,
                            "dependency",
                            format!("a dependency is the number {number}"),
                            "read as text",
                        );
                        ids.push(number.to_string());
                    }
                    other => {
                        note(
                            RepairKind::DependencyUnreadable,
                            "dependency",
                            format!("a dependency is {}", kind_of(other)),
                            "left out",
                        );
                    }
                }
            }
            Some(ids)
        }
        Some(Value::Number(number)) => {
            note(
                RepairKind::DependencyIsNumber,
                "dependency",
                format!("the dependencies are the number {number}"),
                "read as a list",
            );
            Some(vec![number.to_string()])
        }
        Some(other) => {
            note(
                RepairKind::DependencyUnreadable,
                "dependency",
                format!("the dependencies are {}", kind_of(other)),
                "left out",
            );
            None
        }
    };
    let sub_tasks =
        LISTS.iter().find_map(|name| object.get(*name)).and_then(Value::as_array).filter(|_| layer < MAX_LAYERS).map(
            |list| list.iter().filter_map(Value::as_object).map(|object| task(object, "", layer + 1, None)).collect(),
        );
    RawTask {
        id: id.and_then(text),
        goal: field(&["goal", "description"]).and_then(text),
        task_type: field(&["task_type", "type"]).and_then(text),
        dependency,
        length: field(&["length"]).and_then(|length| match length {
            Value::Number(number) => Some(format!("{number} words")),
            other => text(other),
        }),
        atom: field(&["atom"]).is_some_and(|atom| match atom {
            Value::Bool(atom) => *atom,
            other => text(other).is_some_and(|text| text.eq_ignore_ascii_case("true")),
        }),
        sub_tasks,
    }
}

/// Text that is not blank, numbers included.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_string(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// The ids in `1, 2` or `[1, 2]`.
pub(super) fn split_ids(list: &str) -> Vec<String> {
    list.split([',', ';', '，', '、'])
        .map(|id| id.trim().trim_matches(['[', ']', '"', '\'', '`', ' ']))
        .filter(|id| !id.is_empty() && !id.eq_ignore_ascii_case("none"))
        .map(str::to_string)
        .collect()
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "`null`",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
