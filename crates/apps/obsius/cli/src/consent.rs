//! What `--yes` may approve without a person.

use graphloom_cli::{ConsentArgs, Failure, Progress};
use graphloom_obsius::WorkflowState;
use graphloom_vault::{Change, ChangeKind, Changes, ContentHash, Note, NotePath};

use crate::args::ApprovalArgs;

/// Changes of more notes than this are many.
const MANY: usize = 20;

/// How many notes are named at most.
const NAMED: usize = 3;

/// What is approved without a person.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Consent {
    /// Changes that delete nothing and are not many.
    pub(crate) yes: bool,
    /// Whether a person may be asked on the terminal.
    pub(crate) may_ask: bool,
    deletes: bool,
    many: bool,
}

impl Consent {
    /// What the options say.
    ///
    /// # Errors
    /// An option that widens a `--yes` that was not given.
    pub(crate) fn of(given: &ConsentArgs, approval: ApprovalArgs, progress: &Progress) -> Result<Self, Failure> {
        let may_ask = given.may_ask(progress);
        let consent = Self { yes: given.yes, may_ask, deletes: approval.yes_delete, many: approval.yes_many };
        match (consent.yes, consent.deletes, consent.many) {
            (false, true, _) => Err(Failure::usage("`--yes-delete` says what `--yes` may approve; give `--yes` too")),
            (false, _, true) => Err(Failure::usage("`--yes-many` says what `--yes` may approve; give `--yes` too")),
            _ => Ok(consent),
        }
    }

    /// Why these changes are not approved without a person; `None` when they are.
    pub(crate) fn withheld(self, state: &WorkflowState) -> Option<String> {
        let changes: &Changes = &state.changes;
        let gone: Vec<&NotePath> = changes.iter().filter(|(_, c)| is_lost(changes, c)).map(|(path, _)| path).collect();
        let changed = changes.iter().filter(|(_, change)| change.kind() != ChangeKind::MovedAway).count();
        let mut reasons = Vec::new();
        if !state.review.conflicts.is_empty() {
            reasons.push("somebody else edited the same lines, which a person decides".to_owned());
        }
        if !gone.is_empty() && !self.deletes {
            let mut named: Vec<String> = gone.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
            if gone.len() > NAMED {
                named.push(format!("{} more", gone.len() - NAMED));
            }
            reasons.push(format!("it deletes or empties {}, which needs `--yes-delete`", named.join(", ")));
        }
        if changed > MANY && !self.many {
            reasons.push(format!("it changes {changed} notes, more than {MANY}, which needs `--yes-many`"));
        }
        (!reasons.is_empty()).then(|| format!("`--yes` does not approve this: {}", reasons.join("; and ")))
    }
}

/// Whether a note is deleted, merged into another one, or left without a text.
fn is_lost(changes: &Changes, change: &Change) -> bool {
    let Some(text) = &change.after else { return change.kind() == ChangeKind::Deleted };
    let from = change.moved_from.as_ref().and_then(|from| changes.get(from)).unwrap_or(change);
    let is_blank = || {
        let path = NotePath::parse("note.md");
        path.is_ok_and(|path| Note::parse(path, text.as_ref()).body().trim().is_empty())
    };
    from.before.as_ref().is_some_and(|before| *before != ContentHash::of(text.as_bytes())) && is_blank()
}
