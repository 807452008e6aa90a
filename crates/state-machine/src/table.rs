//! Declarative status tables: what can happen in each status, and when.
//!
//! A [`StatusTable`] sorts every status into one of three [`Group`]s and lists, for each *activate* status, the
//! actions to take, and for each *suspend* status, the conditions under which it moves on by itself. Conditions are
//! named data, evaluated against a context of the caller's choice through [`Condition`], so that a table can be
//! printed, checked and explained.

mod build;

use std::collections::BTreeMap;

pub use build::{StatusTableBuilder, TableError, TableFault};

use crate::Symbol;

crate::symbols! {
    /// How a scheduler treats a status.
    pub enum Group {
        /// Nothing happens in this status any more.
        Silence = "silence",
        /// Waiting: examined, and left when a condition holds.
        Suspend = "suspend",
        /// An action can be taken.
        Activate = "activate",
    }
}

crate::symbols! {
    /// The part of a table a rule stands in.
    pub enum Section {
        /// The action table.
        Action = "action",
        /// The exam table.
        Exam = "exam",
        /// The failure table, consulted when no exam rule holds.
        Failure = "failure",
    }
}

/// A named condition that can be evaluated against `Cx`.
pub trait Condition<Cx: ?Sized>: Symbol {
    /// Whether the condition holds.
    fn holds(self, context: &Cx) -> bool;
}

/// A row of the action table: under `condition`, `action` is taken and leads to `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionRule<St, Action, Cond> {
    /// When the rule applies.
    pub condition: Cond,
    /// What to do.
    pub action: Action,
    /// The status after the action succeeded.
    pub next: St,
}

/// A row of the exam or failure table: under `condition` the status becomes `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExamRule<St, Cond> {
    /// When the rule applies.
    pub condition: Cond,
    /// The status it leads to.
    pub next: St,
}

/// A checked table of statuses, groups, actions and exams.
///
/// ```
/// use graphloom_state_machine::{Condition, Group, StatusTable, symbols};
///
/// symbols! { enum Phase { Draft = "DRAFT", Waiting = "WAITING", Done = "DONE" } }
/// symbols! { enum Do { Write = "write" } }
/// symbols! { enum When { Always = "always", Approved = "approved" } }
///
/// struct Paper { approved: bool }
///
/// impl Condition<Paper> for When {
///     fn holds(self, paper: &Paper) -> bool {
///         match self {
///             When::Always => true,
///             When::Approved => paper.approved,
///         }
///     }
/// }
///
/// let table = StatusTable::builder()
///     .group(Group::Activate, [Phase::Draft])
///     .group(Group::Suspend, [Phase::Waiting])
///     .group(Group::Silence, [Phase::Done])
///     .action(Phase::Draft, When::Always, Do::Write, Phase::Waiting)
///     .exam(Phase::Waiting, When::Approved, Phase::Done)
///     .build()?;
///
/// assert_eq!(table.action(Phase::Draft, &Paper { approved: false }).unwrap().next, Phase::Waiting);
/// assert!(table.exam(Phase::Waiting, &Paper { approved: false }).is_none());
/// assert_eq!(table.exam(Phase::Waiting, &Paper { approved: true }).unwrap().1.next, Phase::Done);
/// # Ok::<(), graphloom_state_machine::TableError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StatusTable<St, Action, Cond> {
    groups: BTreeMap<St, Group>,
    actions: BTreeMap<St, Vec<ActionRule<St, Action, Cond>>>,
    exams: BTreeMap<St, Vec<ExamRule<St, Cond>>>,
    failures: BTreeMap<St, Vec<ExamRule<St, Cond>>>,
}

impl<St: Symbol, Action: Symbol, Cond: Symbol> StatusTable<St, Action, Cond> {
    /// An empty table to fill and check.
    pub fn builder() -> StatusTableBuilder<St, Action, Cond> {
        StatusTableBuilder::default()
    }

    /// The group of a status. The check at build time has seen that every status has one.
    pub fn group(&self, status: St) -> Group {
        self.groups.get(&status).copied().unwrap_or(Group::Silence)
    }

    /// The statuses of a group, in declaration order.
    pub fn statuses(&self, group: Group) -> impl Iterator<Item = St> + '_ {
        St::ALL.iter().copied().filter(move |status| self.group(*status) == group)
    }

    /// The action rules of a status, in the order they are tried.
    pub fn action_rules(&self, status: St) -> &[ActionRule<St, Action, Cond>] {
        self.actions.get(&status).map_or(&[], Vec::as_slice)
    }

    /// The exam rules of a status, in the order they are tried.
    pub fn exam_rules(&self, status: St) -> &[ExamRule<St, Cond>] {
        self.exams.get(&status).map_or(&[], Vec::as_slice)
    }

    /// The failure rules of a status, tried in order when no exam rule holds.
    pub fn failure_rules(&self, status: St) -> &[ExamRule<St, Cond>] {
        self.failures.get(&status).map_or(&[], Vec::as_slice)
    }

    /// The first action rule of `status` whose condition holds.
    pub fn action<Cx: ?Sized>(&self, status: St, context: &Cx) -> Option<ActionRule<St, Action, Cond>>
    where
        Cond: Condition<Cx>,
    {
        self.action_rules(status).iter().copied().find(|rule| rule.condition.holds(context))
    }

    /// The first exam rule of `status` whose condition holds, else the first such failure rule.
    pub fn exam<Cx: ?Sized>(&self, status: St, context: &Cx) -> Option<(Section, ExamRule<St, Cond>)>
    where
        Cond: Condition<Cx>,
    {
        let first = |rules: &[ExamRule<St, Cond>]| rules.iter().copied().find(|rule| rule.condition.holds(context));
        first(self.exam_rules(status))
            .map(|rule| (Section::Exam, rule))
            .or_else(|| first(self.failure_rules(status)).map(|rule| (Section::Failure, rule)))
    }
}
