//! Plans in JSON: nested `sub_tasks`, as the original's planner writes them.

use graphloom_llm::parse::read_value;
use serde_json::{Map, Value, json};

use super::whole::{incomplete, lost_of_json};
use super::{PlanError, PlanForm, RawPlan, RawTask, Repair, RepairKind};

/// The names under which a list of tasks is accepted, the usual one first.
const LISTS: [&str; 6] = ["sub_tasks", "subtasks", "tasks", "plan", "children", "sub-tasks"];
/// Deeper layers than this are not read; a plan is expanded layer by layer anyway.
const MAX_LAYERS: usize = 16;

/// Reads a plan from text that holds JSON: bare, fenced, with comments or trailing commas, or amid prose.
pub(super) fn read(source: &str) -> Result<RawPlan, PlanError> {
    // A list of objects, or an empty one; prose has brackets as well.
    let opens_list = |at: &usize| source[at + 1..].trim_start().starts_with(['{', ']']);
    let list = source.match_indices('[').map(|(at, _)| at).find(opens_list);
    let list_first = match (list, source.find('{')) {
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
        Ok(parsed) => {
            let mut plan = from_value(&parsed.value)?;
            plan.repairs.splice(0..0, lost_of_json(source, &parsed).map(incomplete));
            Ok(plan)
        }
        Err(failure) => Err(PlanError::NoPlan { message: failure.to_string() }),
    }
}

/// Reads a plan from a JSON value.
fn from_value(value: &Value) -> Result<RawPlan, PlanError> {
    let mut plan = RawPlan { form: PlanForm::Json, tasks: Vec::new(), alone: false, repairs: Vec::new() };
    match value {
        Value::Array(list) => plan.tasks = tasks(list, "", 0, &mut plan.repairs),
        Value::Object(object) => match list_of(object) {
            Some((name, Value::Array(list))) => {
                plan.repairs.extend(misnamed(name, ""));
                plan.tasks = tasks(list, name, 0, &mut plan.repairs);
            }
            Some((_, inner @ Value::Object(_))) if !object.contains_key("goal") => return from_value(inner),
            Some((_, Value::Null)) | None if is_task(object) => {
                plan.alone = true;
                plan.tasks = vec![task(object, "", 0, &mut plan.repairs)];
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

/// The list of tasks inside an object: by its name, or by what it holds where the name is misspelt.
fn list_of(object: &Map<String, Value>) -> Option<(&String, &Value)> {
    let holds_tasks = |value: &Value| {
        let has = |entry: &Value, field: &str| entry.get(field).is_some();
        let is_like_task = |entry: &Value| has(entry, "goal") || (has(entry, "id") && has(entry, "task_type"));
        value.as_array().is_some_and(|list| list.iter().any(is_like_task))
    };
    let named = LISTS.iter().find_map(|name| object.get_key_value(*name));
    let filled =
        named.is_some_and(|(_, value)| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()));
    if filled { named } else { object.iter().find(|(_, value)| holds_tasks(value)).or(named) }
}

/// The repair for a list of tasks that has none of the names for one.
fn misnamed(name: &str, task: &str) -> Option<Repair> {
    (!LISTS.contains(&name)).then(|| Repair {
        kind: RepairKind::ListMisnamed,
        task: task.into(),
        place: name.into(),
        found: format!("`{name}` is no name of a list of tasks, but it holds tasks"),
        done: "read as `sub_tasks`".into(),
    })
}

fn tasks(list: &[Value], name: &str, layer: usize, repairs: &mut Vec<Repair>) -> Vec<RawTask> {
    let mut found = Vec::with_capacity(list.len());
    for (index, entry) in list.iter().enumerate() {
        let place = format!("{name}[{index}]");
        match entry {
            Value::Object(object) => found.push(task(object, &place, layer, repairs)),
            other => repairs.push(left_out(place, format!("an entry of the plan is {}, not a task", kind_of(other)))),
        }
    }
    found
}

fn left_out(place: String, found: String) -> Repair {
    Repair { kind: RepairKind::NotATask, task: String::new(), place, found, done: "left out".into() }
}

/// Reads one task. Only the first layer is judged; deeper ones are when their turn comes. Tasks that get lost are told at
/// any layer.
fn task(object: &Map<String, Value>, place: &str, layer: usize, repairs: &mut Vec<Repair>) -> RawTask {
    let field = |names: &[&str]| names.iter().find_map(|name| object.get(*name));
    let id = field(&["id", "task_id"]);
    let name = id.map(text).unwrap_or_default().unwrap_or_default();
    let at = |field: &str| if place.is_empty() { field.to_string() } else { format!("{place}.{field}") };
    let mut judged = Vec::new();
    let mut note = |kind: RepairKind, field: &str, found: String, done: &str| {
        judged.push(Repair { kind, task: name.clone(), place: at(field), found, done: done.into() });
    };
    if let Some(number @ Value::Number(_)) = id {
        note(RepairKind::IdIsNumber, "id", format!("the id is the number {number}"), "read as text");
    }
    let dependency = field(&["dependency", "dependencies", "depends_on"]);
    let dependency = dependencies(dependency, |kind, found, done| note(kind, "dependency", found, done));
    if layer == 0 {
        repairs.append(&mut judged);
    }
    let sub_tasks = match list_of(object) {
        Some((list_name, Value::Array(list))) if layer < MAX_LAYERS => {
            repairs.extend(misnamed(list_name, &name));
            Some(tasks(list, &at(list_name), layer + 1, repairs))
        }
        None | Some((_, Value::Null)) => None,
        Some((_, Value::Array(list))) if list.is_empty() => Some(Vec::new()),
        Some((list_name, Value::Array(_))) => {
            repairs.push(left_out(at(list_name), format!("more than {MAX_LAYERS} layers of tasks")));
            None
        }
        Some((list_name, other)) => {
            repairs.push(left_out(at(list_name), format!("`{list_name}` is {}, not a list", kind_of(other))));
            None
        }
    };
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

/// The ids a task depends on, in whatever form they are written.
fn dependencies(written: Option<&Value>, mut note: impl FnMut(RepairKind, String, &str)) -> Option<Vec<String>> {
    match written {
        None => {
            note(RepairKind::DependencyMissing, "it does not say what it depends on".into(), "taken as nothing");
            None
        }
        Some(Value::Null) => {
            note(RepairKind::DependencyNull, "the dependencies are `null`".into(), "taken as nothing");
            None
        }
        Some(Value::String(list)) => {
            if !list.trim().is_empty() {
                note(RepairKind::DependencyIsText, format!("the dependencies are the text `{list}`"), "read as a list");
            }
            Some(split_ids(list))
        }
        Some(Value::Array(list)) => {
            let mut ids = Vec::with_capacity(list.len());
            for entry in list {
                match entry {
                    Value::String(id) => ids.extend(split_ids(id)),
                    Value::Number(number) => {
                        let found = format!("a dependency is the number {number}");
                        note(RepairKind::DependencyIsNumber, found, "read as text");
                        ids.push(number.to_string());
                    }
                    other => {
                        let found = format!("a dependency is {}", kind_of(other));
                        note(RepairKind::DependencyUnreadable, found, "left out");
                    }
                }
            }
            Some(ids)
        }
        Some(Value::Number(number)) => {
            let found = format!("the dependencies are the number {number}");
            note(RepairKind::DependencyIsNumber, found, "read as a list");
            Some(vec![number.to_string()])
        }
        Some(other) => {
            note(RepairKind::DependencyUnreadable, format!("the dependencies are {}", kind_of(other)), "left out");
            None
        }
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
