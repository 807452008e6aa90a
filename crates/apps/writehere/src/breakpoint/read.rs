//! Breakpoints as they are written, and whether they can fit at all.

use std::str::FromStr;

use graphloom_state_machine::{NodeKey, Symbol, TaskAction, TaskStatus, task_table};

use super::{Breakpoint, STAGES, Stage};

/// A breakpoint that cannot be read, or can never fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{part}` is no part of a breakpoint: {reason}; parts are `node=KEY`, `node=KEY*`, `goal=TEXT`, `status=STATUS`, `next=STATUS`, `plan>N`, `stage=before|prompt|reply|parsed|after`, joined by `,`"
)]
pub struct BreakpointError {
    part: String,
    reason: String,
}

impl FromStr for Breakpoint {
    type Err = BreakpointError;

    fn from_str(text: &str) -> Result<Self, BreakpointError> {
        let mut point = Self::default();
        for part in text.split(',').map(str::trim) {
            let wrong = |reason: &str| BreakpointError { part: part.to_owned(), reason: reason.to_owned() };
            if let Some(count) = part.strip_prefix("plan>") {
                point.plan_over = Some(count.trim().parse().map_err(|_| wrong("N is not a number"))?);
                continue;
            }
            let (name, value) = part.split_once('=').ok_or_else(|| wrong("it has no `=`"))?;
            let value = value.trim();
            let status = || TaskStatus::from_name(value).ok_or_else(|| wrong("no such status"));
            match name.trim() {
                "node" => {
                    let key = value.strip_suffix('*').unwrap_or(value);
                    if key.parse::<NodeKey>().is_err() {
                        return Err(wrong(
                            "no such key; keys are such as `root` or `2.1`, and `2.1*` is all inside too",
                        ));
                    }
                    point.node = Some(value.to_owned());
                }
                "goal" => point.goal = Some(value.to_owned()),
                "status" => point.status = Some(status()?),
                "next" => point.next = Some(status()?),
                "stage" => {
                    let stage = STAGES.iter().find(|(word, _)| *word == value).map(|(_, stage)| *stage);
                    point.stage = Some(stage.ok_or_else(|| wrong("no such stage"))?);
                }
                _ => return Err(wrong("no such part")),
            }
        }
        match point.never_fits() {
            Some(reason) => Err(BreakpointError { part: text.to_owned(), reason: format!("it never fits: {reason}") }),
            None => Ok(point),
        }
    }
}

/// A change of status that happens in runs.
struct Change {
    from: TaskStatus,
    to: TaskStatus,
    kind: Kind,
}

enum Kind {
    Action(TaskAction),
    /// By the exam or failure table, after an action of another task.
    Followed,
    /// An action is out of attempts.
    Failed,
}

/// Every change of status that happens in runs.
fn changes() -> Vec<Change> {
    let mut all = Vec::new();
    for from in TaskStatus::ALL.iter().copied() {
        for rule in task_table().action_rules(from) {
            all.push(Change { from, to: rule.next, kind: Kind::Action(rule.action) });
            all.push(Change { from, to: TaskStatus::Failed, kind: Kind::Failed });
        }
        let followed = task_table().exam_rules(from).iter().chain(task_table().failure_rules(from));
        all.extend(followed.map(|rule| Change { from, to: rule.next, kind: Kind::Followed }));
    }
    all
}

impl Breakpoint {
    /// Why no moment of any run fits, if none does.
    fn never_fits(&self) -> Option<String> {
        let all = changes();
        if let Some(status) = self.status.filter(|status| all.iter().all(|change| change.from != *status)) {
            return Some(format!("no task leaves {status} in a run; `next={status}` is where one gets there"));
        }
        if let Some(next) = self.next.filter(|next| all.iter().all(|change| change.to != *next)) {
            return Some(format!("no task gets to {next} in a run; `status={next}` is where one leaves it"));
        }
        let fits = |change: &&Change| {
            self.status.is_none_or(|status| status == change.from) && self.next.is_none_or(|next| next == change.to)
        };
        let mut stated = all.iter().filter(fits).peekable();
        if stated.peek().is_none() {
            let from = self.status.unwrap_or(TaskStatus::NotReady);
            let mut to: Vec<&str> = all.iter().filter(|change| change.from == from).map(|c| c.to.name()).collect();
            to.sort_unstable();
            to.dedup();
            return Some(format!("{from} leads to {} only", to.join(", ")));
        }
        let is_plan = |change: &&Change| matches!(change.kind, Kind::Action(TaskAction::Plan));
        if self.plan_over.is_some() {
            if !stated.any(|change| is_plan(&change)) {
                return Some("a plan is there after READY, before PLAN_DONE".to_owned());
            }
            let early = matches!(self.stage, Some(Stage::Before | Stage::Prompt | Stage::Reply));
            return early.then(|| "the plan is there at the stages `parsed` and `after`".to_owned());
        }
        let stage = self.stage?;
        let at_stage = |change: &Change| match (stage, &change.kind) {
            (Stage::Before, Kind::Action(_)) | (Stage::After, Kind::Action(_) | Kind::Failed) => true,
            (Stage::Prompt | Stage::Reply, Kind::Action(action)) => {
                matches!(action, TaskAction::Plan | TaskAction::Execute | TaskAction::FinalAggregate)
            }
            (Stage::Parsed, Kind::Action(action)) => *action == TaskAction::Plan,
            _ => false,
        };
        let anything = self.status.is_none() && self.next.is_none();
        (!anything && !stated.any(at_stage))
            .then(|| format!("that change of status has no stage `{stage}`; leave it out"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breakpoints_are_read_part_by_part() {
        let point: Breakpoint = "node=1.2, status=READY,stage=reply".parse().unwrap();
        assert_eq!(point.node.as_deref(), Some("1.2"));
        assert_eq!(point.status, Some(TaskStatus::Ready));
        assert_eq!(point.stage, Some(Stage::Reply));
        assert_eq!("plan>10".parse::<Breakpoint>().unwrap().plan_over, Some(10));
        for wrong in ["", "node", "status=GONE", "plan>x", "stage=later", "depth=1", "node=first", "node=1.2.*"] {
            assert!(wrong.parse::<Breakpoint>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_can_never_fit_is_refused_with_what_can() {
        for (text, part) in [
            ("status=FAILED", "`next=FAILED` is where one gets there"),
            ("status=FINISH,node=2", "`next=FINISH` is where one gets there"),
            ("next=NOT_READY", "`status=NOT_READY` is where one leaves it"),
            ("status=READY,next=FINISH", "READY leads to FAILED, NEED_POST_REFLECT, PLAN_DONE only"),
            ("status=NOT_READY,stage=before", "no stage `before`"),
            ("next=FINAL_TO_FINISH,stage=prompt", "no stage `prompt`"),
            ("status=PLAN_DONE,stage=reply", "no stage `reply`"),
            ("status=DOING,stage=parsed", "no stage `parsed`"),
            ("plan>3,stage=prompt", "`parsed` and `after`"),
            ("plan>3,next=FINISH", "a plan is there after READY"),
        ] {
            let error = text.parse::<Breakpoint>().unwrap_err().to_string();
            assert!(error.contains("it never fits") && error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn all_other_pairs_of_statuses_are_taken() {
        for change in changes() {
            let text = format!("status={},next={}", change.from, change.to);
            assert!(text.parse::<Breakpoint>().is_ok(), "{text}");
        }
        for text in [
            "next=FAILED",
            "status=NOT_READY",
            "next=FINAL_TO_FINISH",
            "plan>10",
            "node=1.2*",
            "next=FAILED,stage=after",
        ] {
            assert!(text.parse::<Breakpoint>().is_ok(), "{text}");
        }
    }
}
