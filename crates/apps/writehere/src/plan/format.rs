//! Reading a planner's reply, whichever form it has.

use graphloom_llm::parse::json::strip_reasoning;
use graphloom_llm::parse::tags;

use super::whole::{incomplete, unpaired};
use super::{PlanError, PlanForm, RawPlan, RepairKind, json, xml};

/// Reads the plan in a reply. It is looked for in the tag `tag` (such as `result`), and in the whole reply when that is
/// absent or empty; thoughts are passed over. A plan that was read only in part carries the repair
/// [`RepairKind::Incomplete`].
///
/// ```
/// use graphloom_writehere::plan::{PlanForm, read_plan};
///
/// let json = read_plan("<result>{\"sub_tasks\": [{\"id\": \"1\", \"goal\": \"Find out\", \"task_type\": \"search\"}]}</result>", "result")?;
/// let xml = read_plan("<plan><task><id>1</id><goal>Find out</goal><task_type>search</task_type></task></plan>", "result")?;
/// assert_eq!((json.form, xml.form), (PlanForm::Json, PlanForm::Xml));
/// assert_eq!(json.tasks[0].goal, xml.tasks[0].goal);
/// # Ok::<(), graphloom_writehere::plan::PlanError>(())
/// ```
///
/// # Errors
/// [`PlanError::NoPlan`].
pub fn read_plan(reply: &str, tag: &str) -> Result<RawPlan, PlanError> {
    let whole = strip_reasoning(reply);
    let tagged = tags::find(&whole, tag).filter(|inner| !inner.trim().is_empty());
    let sources = tagged.iter().map(String::as_str).chain([whole.as_str()]);
    let mut first_error = None;
    for source in sources {
        let read = if is_xml(source) { xml::read(source) } else { json::read(source) };
        match read {
            Ok(mut plan) => {
                // JSON shows by itself whether it is whole; a list of tags may end anywhere.
                if plan.form == PlanForm::Xml
                    && !plan.repairs.iter().any(|repair| repair.kind == RepairKind::Incomplete)
                {
                    plan.repairs.extend(unpaired(&whole, tag).map(incomplete));
                }
                return Ok(plan);
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or(PlanError::NoPlan { message: "it is empty".into() }))
}

/// Whether a task or plan tag comes before any JSON.
fn is_xml(source: &str) -> bool {
    let lower = source.to_ascii_lowercase();
    let tag = ["<task>", "<task ", "<plan>", "<plan ", "<plan/>"].iter().filter_map(|tag| lower.find(tag)).min();
    tag.is_some_and(|at| source.find('{').is_none_or(|brace| at < brace))
}
