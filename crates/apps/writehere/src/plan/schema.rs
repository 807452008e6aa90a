//! Plans for models that answer inside a grammar: a schema per number of tasks that admits only plans with an order.

use serde_json::{Value, json};

use crate::TaskType;

/// The most earlier tasks a task of such a plan depends on.
const MOST_DEPENDENCIES: usize = 2;

/// The types one place of a plan may have.
pub type SlotTypes = Vec<TaskType>;

/// How many tasks a plan has and of which types; the model fills in goals and dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanShape {
    /// The types that each place admits, in order. The last place of a write task's plan admits `write` only.
    pub slots: Vec<SlotTypes>,
    /// The shortest and longest goal, in characters.
    pub goal: (usize, usize),
}

impl PlanShape {
    /// A shape for a task of this type and length: what it needs to know first, then a write task for each part of
    /// about `words_per_part` words, two to four of them.
    pub fn for_task(task_type: TaskType, words: Option<u32>, search: bool, words_per_part: u32) -> Self {
        let inform = if search { TaskType::Search } else { TaskType::Think };
        let slots = match task_type {
            TaskType::Write => {
                let parts = (words.unwrap_or(600) / words_per_part.max(1)).clamp(2, 4) as usize;
                let mut slots = vec![vec![inform]; parts.min(2)];
                slots.extend(vec![vec![TaskType::Write]; parts]);
                slots
            }
            TaskType::Think => vec![vec![TaskType::Think]; 2],
            TaskType::Search => vec![vec![TaskType::Search]; 2],
        };
        Self { slots, goal: (8, 90) }
    }

    /// How many tasks the plan has.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether the plan has no tasks.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

/// The schema of a plan of this shape inside the task `outer`: ids are given, dependencies name earlier tasks only.
pub fn plan_schema(shape: &PlanShape, outer: &str) -> Value {
    let id = |number: usize| if outer.is_empty() { number.to_string() } else { format!("{outer}.{number}") };
    let tasks: Vec<Value> = shape
        .slots
        .iter()
        .enumerate()
        .map(|(index, types)| {
            let earlier: Vec<String> =
                (1..=index).filter(|number| !shape.slots[number - 1].contains(&TaskType::Write)).map(id).collect();
            json!({
                "type": "object",
                "properties": {
                    "id": { "const": id(index + 1) },
                    "goal": { "type": "string", "minLength": shape.goal.0, "maxLength": shape.goal.1 },
                    "task_type": { "enum": types.iter().map(|t| t.word()).collect::<Vec<_>>() },
                    "dependency": { "enum": choices(&earlier) },
                },
                "required": ["id", "goal", "task_type", "dependency"],
                "additionalProperties": false,
            })
        })
        .collect();
    json!({
        "x-guidance": { "whitespace_flexible": false },
        "type": "object",
        "properties": {
            "sub_tasks": {
                "type": "array",
                "prefixItems": tasks,
                "items": false,
                "minItems": shape.len(),
                "maxItems": shape.len(),
            },
        },
        "required": ["sub_tasks"],
        "additionalProperties": false,
    })
}

/// Every choice of at most two of the ids, none first.
fn choices(ids: &[String]) -> Vec<Vec<&str>> {
    let mut all = vec![Vec::new()];
    for size in 1..=MOST_DEPENDENCIES.min(ids.len()) {
        for first in 0..ids.len() {
            match size {
                1 => all.push(vec![ids[first].as_str()]),
                _ => all.extend(ids[first + 1..].iter().map(|second| vec![ids[first].as_str(), second.as_str()])),
            }
        }
    }
    all
}
