//! Filling a table and checking it: every mistake is reported, not only the first.

use std::collections::{BTreeMap, BTreeSet};

use super::{ActionRule, ExamRule, Group, Section, StatusTable};
use crate::Symbol;

/// Collects groups and rules; [`build`](Self::build) checks them.
#[derive(Clone, Debug)]
pub struct StatusTableBuilder<St, Action, Cond> {
    groups: Vec<(St, Group)>,
    actions: Vec<(St, ActionRule<St, Action, Cond>)>,
    exams: Vec<(St, ExamRule<St, Cond>)>,
    failures: Vec<(St, ExamRule<St, Cond>)>,
}

impl<St, Action, Cond> Default for StatusTableBuilder<St, Action, Cond> {
    fn default() -> Self {
        Self { groups: Vec::new(), actions: Vec::new(), exams: Vec::new(), failures: Vec::new() }
    }
}

impl<St: Symbol, Action: Symbol, Cond: Symbol> StatusTableBuilder<St, Action, Cond> {
    /// Puts statuses into a group.
    #[must_use]
    pub fn group(mut self, group: Group, statuses: impl IntoIterator<Item = St>) -> Self {
        self.groups.extend(statuses.into_iter().map(|status| (status, group)));
        self
    }

    /// Adds a row to the action table. Rows of one status are tried in the order they were added.
    #[must_use]
    pub fn action(mut self, status: St, condition: Cond, action: Action, next: St) -> Self {
        self.actions.push((status, ActionRule { condition, action, next }));
        self
    }

    /// Adds a row to the exam table. Rows of one status are tried in the order they were added.
    #[must_use]
    pub fn exam(mut self, status: St, condition: Cond, next: St) -> Self {
        self.exams.push((status, ExamRule { condition, next }));
        self
    }

    /// Adds a row to the failure table, whose rows are tried when no exam row of the status holds.
    #[must_use]
    pub fn failure(mut self, status: St, condition: Cond, next: St) -> Self {
        self.failures.push((status, ExamRule { condition, next }));
        self
    }

    /// Checks the table.
    ///
    /// # Errors
    /// [`TableError`] lists every fault: a status in no group or in several, an activate status without an action, an
    /// action on a status that is not activate, a suspend status without an exam, an exam or failure rule on a status
    /// that is not suspend, a rule leading to a status outside the groups, the same condition twice for one status.
    pub fn build(self) -> Result<StatusTable<St, Action, Cond>, TableError> {
        let faults = self.faults();
        if !faults.is_empty() {
            return Err(TableError { faults });
        }
        Ok(StatusTable {
            groups: self.groups.into_iter().collect(),
            actions: grouped(self.actions),
            exams: grouped(self.exams),
            failures: grouped(self.failures),
        })
    }

    fn faults(&self) -> Vec<TableFault> {
        let mut faults = Vec::new();
        let mut groups: BTreeMap<St, Vec<Group>> = BTreeMap::new();
        for (status, group) in &self.groups {
            groups.entry(*status).or_default().push(*group);
        }
        let in_group = |status: St, group: Group| groups.get(&status).is_some_and(|all| all.contains(&group));

        for status in St::ALL.iter().copied() {
            match groups.get(&status).map_or(&[][..], Vec::as_slice) {
                [] => faults.push(TableFault::NoGroup { status: status.name() }),
                [_] => {}
                several => faults.push(TableFault::SeveralGroups { status: status.name(), groups: several.to_vec() }),
            }
            if in_group(status, Group::Activate) && !self.actions.iter().any(|(from, _)| *from == status) {
                faults.push(TableFault::NoRule { status: status.name(), group: Group::Activate });
            }
            if in_group(status, Group::Suspend) && !self.exams.iter().any(|(from, _)| *from == status) {
                faults.push(TableFault::NoRule { status: status.name(), group: Group::Suspend });
            }
        }

        let rows = (self.actions.iter().map(|(from, rule)| (Section::Action, *from, rule.condition, rule.next)))
            .chain(self.exams.iter().map(|(from, rule)| (Section::Exam, *from, rule.condition, rule.next)))
            .chain(self.failures.iter().map(|(from, rule)| (Section::Failure, *from, rule.condition, rule.next)));
        let mut seen = BTreeSet::new();
        let mut misplaced = BTreeSet::new();
        for (section, from, condition, next) in rows {
            let wanted = if section == Section::Action { Group::Activate } else { Group::Suspend };
            if !in_group(from, wanted) && misplaced.insert((section, from)) {
                faults.push(TableFault::Misplaced { section, status: from.name(), wanted });
            }
            if !groups.contains_key(&next) {
                faults.push(TableFault::UnknownNext { section, status: from.name(), next: next.name() });
            }
            if !seen.insert((section, from, condition)) {
                faults.push(TableFault::SameCondition { section, status: from.name(), condition: condition.name() });
            }
        }
        faults
    }
}

fn grouped<St: Symbol, Rule>(rows: Vec<(St, Rule)>) -> BTreeMap<St, Vec<Rule>> {
    let mut map: BTreeMap<St, Vec<Rule>> = BTreeMap::new();
    for (status, rule) in rows {
        map.entry(status).or_default().push(rule);
    }
    map
}

/// A status table that contradicts itself, with everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the status table has {} fault(s): {}", .faults.len(), list(.faults))]
pub struct TableError {
    /// Every fault found.
    pub faults: Vec<TableFault>,
}

fn list(faults: &[TableFault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// One thing wrong with a status table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableFault {
    /// A status belongs to no group.
    #[error("status `{status}` is in no group: put it into silence, suspend or activate")]
    NoGroup {
        /// The status.
        status: &'static str,
    },
    /// A status was put into a group twice, or into several.
    #[error("status `{status}` is listed {} times in groups ({}): keep one", .groups.len(), names(.groups))]
    SeveralGroups {
        /// The status.
        status: &'static str,
        /// The groups it was put into.
        groups: Vec<Group>,
    },
    /// An activate status has no action, or a suspend status no exam.
    #[error("status `{status}` is `{group}` but has no {} rule", if *.group == Group::Activate { "action" } else { "exam" })]
    NoRule {
        /// The status.
        status: &'static str,
        /// Its group.
        group: Group,
    },
    /// A rule stands on a status of the wrong group.
    #[error("status `{status}` has a rule in the {section} table but is not `{wanted}`")]
    Misplaced {
        /// The table.
        section: Section,
        /// The status.
        status: &'static str,
        /// The group it would have to be in.
        wanted: Group,
    },
    /// A rule leads to a status outside the groups.
    #[error("the {section} table leads from `{status}` to `{next}`, which is in no group")]
    UnknownNext {
        /// The table.
        section: Section,
        /// Where the rule stands.
        status: &'static str,
        /// Where it leads.
        next: &'static str,
    },
    /// Two rules of one status have the same condition, so the second can never apply.
    #[error("the {section} table lists condition `{condition}` twice for `{status}`: the second can never apply")]
    SameCondition {
        /// The table.
        section: Section,
        /// The status.
        status: &'static str,
        /// The repeated condition.
        condition: &'static str,
    },
}

fn names(groups: &[Group]) -> String {
    groups.iter().map(|group| group.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::symbols! { enum St { Idle = "IDLE", Busy = "BUSY", Wait = "WAIT", Over = "OVER" } }
    crate::symbols! { enum Act { Go = "go" } }
    crate::symbols! { enum When { Always = "always" } }

    fn good() -> StatusTableBuilder<St, Act, When> {
        StatusTable::builder()
            .group(Group::Activate, [St::Idle, St::Busy])
            .group(Group::Suspend, [St::Wait])
            .group(Group::Silence, [St::Over])
            .action(St::Idle, When::Always, Act::Go, St::Busy)
            .action(St::Busy, When::Always, Act::Go, St::Wait)
            .exam(St::Wait, When::Always, St::Over)
    }

    #[test]
    fn a_consistent_table_is_accepted() {
        let table = good().build().unwrap();
        assert_eq!(table.statuses(Group::Activate).collect::<Vec<_>>(), [St::Idle, St::Busy]);
        assert_eq!(table.group(St::Over), Group::Silence);
    }

    #[test]
    fn each_mistake_is_named() {
        let cases: Vec<(StatusTableBuilder<St, Act, When>, &str)> = vec![
            (
                good().group(Group::Silence, [St::Idle]),
                "status `IDLE` is listed 2 times in groups (activate, silence): keep one",
            ),
            (
                good().action(St::Over, When::Always, Act::Go, St::Idle),
                "status `OVER` has a rule in the action table but is not `activate`",
            ),
            (
                good().exam(St::Idle, When::Always, St::Over),
                "status `IDLE` has a rule in the exam table but is not `suspend`",
            ),
            (
                good().failure(St::Busy, When::Always, St::Over),
                "status `BUSY` has a rule in the failure table but is not `suspend`",
            ),
            (
                good().exam(St::Wait, When::Always, St::Idle),
                "the exam table lists condition `always` twice for `WAIT`: the second can never apply",
            ),
        ];
        for (builder, expected) in cases {
            let error = builder.build().unwrap_err();
            assert_eq!(error.faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
        }
    }

    #[test]
    fn all_mistakes_are_listed_at_once() {
        let error = StatusTable::<St, Act, When>::builder()
            .group(Group::Activate, [St::Idle])
            .group(Group::Suspend, [St::Wait])
            .action(St::Busy, When::Always, Act::Go, St::Over)
            .build()
            .unwrap_err();
        let faults: Vec<_> = error.faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            faults,
            [
                "status `IDLE` is `activate` but has no action rule",
                "status `BUSY` is in no group: put it into silence, suspend or activate",
                "status `WAIT` is `suspend` but has no exam rule",
                "status `OVER` is in no group: put it into silence, suspend or activate",
                "status `BUSY` has a rule in the action table but is not `activate`",
                "the action table leads from `BUSY` to `OVER`, which is in no group",
            ]
        );
    }
}
