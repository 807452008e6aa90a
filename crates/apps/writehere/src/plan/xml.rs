//! Plans in tags: `<plan><task><id>1</id>…</task></plan>`.

use graphloom_llm::parse::tags;

use super::json::split_ids;
use super::whole::{incomplete, lost_of_tags};
use super::{PlanError, PlanForm, RawPlan, RawTask, Repair, RepairKind};

/// Deeper layers than this are not read.
const MAX_LAYERS: usize = 16;

/// Reads a plan from tagged text. Attributes and unknown tags are passed over; a task may lack its closing tag.
pub(super) fn read(source: &str) -> Result<RawPlan, PlanError> {
    let cut_in_comment = source.rfind("<!--").is_some_and(|at| !source[at..].contains("-->"));
    let source = without_comments(source);
    let body = tags::find(&source, "plan").unwrap_or(source.clone());
    let mut plan = RawPlan { form: PlanForm::Xml, tasks: Vec::new(), alone: false, repairs: Vec::new() };
    for block in tags::find_all(&body, "task") {
        read_block(&block, 0, &mut plan.tasks);
    }
    if plan.tasks.is_empty() && !tags::find(&source, "plan").is_some_and(|inner| inner.trim().is_empty()) {
        return Err(PlanError::NoPlan { message: "no `<task>` stands inside `<plan>`".into() });
    }
    let lost = lost_of_tags(&source, &plan.tasks);
    let lost = lost.or_else(|| cut_in_comment.then(|| "the reply is cut off: it ends inside a comment".into()));
    plan.repairs.extend(lost.map(incomplete));
    for (index, task) in plan.tasks.iter().enumerate().filter(|(_, task)| task.dependency.is_none()) {
        plan.repairs.push(Repair {
            kind: RepairKind::DependencyMissing,
            task: task.id.clone().unwrap_or_default(),
            place: format!("task[{index}].dependency"),
            found: "it does not say what it depends on".into(),
            done: "taken as nothing".into(),
        });
    }
    Ok(plan)
}

/// Reads a block, which holds several tasks when closing tags are missing.
fn read_block(block: &str, layer: usize, found: &mut Vec<RawTask>) {
    let own = tags::without(block, "sub_tasks");
    let inner = tags::find_all(&own, "task");
    let head = if inner.is_empty() { own.as_str() } else { before_tag(&own, "<task") };
    let field = |name: &str| {
        let text = unescape(tags::find_first(head, name)?.trim());
        (!text.is_empty()).then_some(text)
    };
    let sub_tasks = tags::find_first(block, "sub_tasks").filter(|_| layer < MAX_LAYERS).map(|list| {
        let mut tasks = Vec::new();
        for block in tags::find_all(&list, "task") {
            read_block(&block, layer + 1, &mut tasks);
        }
        tasks
    });
    found.push(RawTask {
        id: field("id"),
        goal: field("goal"),
        task_type: field("task_type").or_else(|| field("type")),
        dependency: tags::find_first(head, "dependency").map(|list| split_ids(&list)),
        length: field("length"),
        atom: field("atom").is_some_and(|atom| atom.eq_ignore_ascii_case("true")),
        sub_tasks,
    });
    if layer < MAX_LAYERS {
        for block in inner {
            read_block(&block, layer + 1, found);
        }
    }
}

fn before_tag<'a>(text: &'a str, tag: &str) -> &'a str {
    let lower = text.to_ascii_lowercase();
    lower.find(tag).map_or(text, |at| &text[..at])
}

fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        plain.push_str(&rest[..start]);
        rest = rest[start..].find("-->").map_or("", |end| &rest[start + end + 3..]);
    }
    plain.push_str(rest);
    plain
}

/// Resolves the five named entities and `&#39;`.
fn unescape(text: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")]
        .iter()
        .fold(text.to_string(), |text, (entity, plain)| text.replace(entity, plain))
}
