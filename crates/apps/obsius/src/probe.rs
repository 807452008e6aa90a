//! Success criteria as probes: what shows that a subtask is done is looked up, not claimed.

use graphloom_vault::{Link, LinkIndex, Note, NotePath, Notes};

use crate::state::{Criterion, ExecutedAction, Findings, SearchStrategy};

/// What probes look at.
pub struct View<'a, N: Notes> {
    /// The notes as they are to be.
    pub notes: &'a N,
    /// Their links.
    pub links: &'a LinkIndex,
    /// What searches found.
    pub findings: &'a Findings,
    /// What was done, oldest first.
    pub actions: &'a [ExecutedAction],
    /// The paths that the run changes.
    pub changed: &'a [NotePath],
    /// What the person was told.
    pub answer: &'a str,
    /// Whether a link is the person's: it was there before, or they asked for it, and may lead to a note to come.
    pub is_own: &'a dyn Fn(&Note, &Link) -> bool,
}

impl<N: Notes> std::fmt::Debug for View<'_, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("findings", self.findings).field("changed", &self.changed).finish_non_exhaustive()
    }
}

impl Criterion {
    /// Looks it up; none for what a model has to judge.
    pub fn probe<N: Notes>(&self, view: &View<'_, N>) -> Option<(bool, String)> {
        Some(match self {
            Self::Judged { .. } => return None,
            Self::Searched { strategy } => searched(view, *strategy),
            Self::FoundRead { count } => found_read(view, *count),
            Self::Answered if view.answer.trim().is_empty() => (false, "nothing was said yet".to_owned()),
            Self::Answered => (true, format!("an answer of {} characters", view.answer.trim().chars().count())),
            Self::FoundTagged { tag } => found_tagged(view, tag),
            Self::NoteExists { note } => with(view, note, |note| (true, format!("`{}` exists", note.path()))),
            Self::NoteChanged { note } => with(view, note, |note| match view.changed.contains(note.path()) {
                true => (true, format!("`{}` is changed", note.path())),
                false => (false, format!("`{}` is as it was", note.path())),
            }),
            Self::NoteContains { note, text } => with(view, note, |note| {
                let there = note.text().to_lowercase().contains(&text.to_lowercase());
                (there, format!("`{}` {} `{text}`", note.path(), if there { "contains" } else { "does not contain" }))
            }),
            Self::FrontmatterParses { note } => with(view, note, |note| match note.frontmatter().problem() {
                None => (true, format!("the frontmatter of `{}` is sound", note.path())),
                Some(problem) => (false, format!("the frontmatter of `{}` is broken: {problem:?}", note.path())),
            }),
            Self::LinksResolve { note } => with(view, note, |note| links_resolve(view, note)),
            Self::FoundLinkedFrom { note } => with(view, note, |note| found_linked(view, note)),
            Self::TagPresent { note, tag } => with(view, note, |note| {
                let there = has_tag(note, tag);
                (there, format!("`{}` {} the tag `{tag}`", note.path(), if there { "has" } else { "lacks" }))
            }),
        })
    }
}

/// The note that a title, name or path means: the path itself, else the one note of that name, else of that title.
pub fn find_note<N: Notes>(notes: &N, wanted: &str) -> Option<Note> {
    let direct = NotePath::candidates_for(wanted).iter().find_map(|path| notes.read(path).ok().flatten());
    if direct.is_some() {
        return direct;
    }
    let named = NotePath::for_title("", wanted).ok().map(|made| made.path.name().to_lowercase());
    let wanted = wanted.trim().to_lowercase();
    let paths = notes.paths();
    let by_name = paths.iter().find(|path| {
        let name = path.name().to_lowercase();
        name == wanted || Some(&name) == named.as_ref()
    });
    by_name.and_then(|path| notes.read(path).ok().flatten())
}

fn with<N: Notes>(view: &View<'_, N>, note: &str, probe: impl FnOnce(&Note) -> (bool, String)) -> (bool, String) {
    match find_note(view.notes, note) {
        Some(note) => probe(&note),
        None => (false, format!("there is no note `{note}`")),
    }
}

fn searched<N: Notes>(view: &View<'_, N>, strategy: SearchStrategy) -> (bool, String) {
    let hits: Vec<usize> =
        view.findings.searches.iter().filter(|search| search.strategy == strategy).map(|search| search.hits).collect();
    match hits.last() {
        Some(hits) => (true, format!("it found {hits} notes")),
        None => (false, "it was not run".to_owned()),
    }
}

fn found_read<N: Notes>(view: &View<'_, N>, count: usize) -> (bool, String) {
    let read: Vec<&str> = view
        .actions
        .iter()
        .filter(|action| action.tool == "read_note" && action.result.success)
        .filter_map(|action| action.arguments.get("path").and_then(serde_json::Value::as_str))
        .collect();
    let wanted: Vec<&str> = view.findings.notes.iter().take(count).map(|found| found.path.as_str()).collect();
    let missing: Vec<&&str> = wanted.iter().filter(|path| !read.contains(*path)).collect();
    match missing.first() {
        None => (true, format!("{} notes were read", wanted.len())),
        Some(first) => {
            (false, format!("{} of {} notes were not read, the first `{first}`", missing.len(), wanted.len()))
        }
    }
}

fn found_tagged<N: Notes>(view: &View<'_, N>, tag: &str) -> (bool, String) {
    let lacks = |path: &str| find_note(view.notes, path).is_some_and(|note| !has_tag(&note, tag));
    let missing: Vec<&str> =
        view.findings.notes.iter().map(|found| found.path.as_str()).filter(|path| lacks(path)).collect();
    match missing.first() {
        None if !view.findings.nothing_about.is_empty() => (false, no_set(view)),
        None => (true, format!("all {} notes have `{tag}`", view.findings.notes.len())),
        Some(first) => (false, format!("{} notes lack `{tag}`, the first `{first}`", missing.len())),
    }
}

/// A set of nothing is not complete.
fn no_set<N: Notes>(view: &View<'_, N>) -> String {
    format!("no note is about `{}`", view.findings.nothing_about)
}

fn has_tag(note: &Note, tag: &str) -> bool {
    let wanted = tag.trim_start_matches('#').to_lowercase();
    note.tag_names().iter().any(|name| name.to_lowercase() == wanted)
}

fn links_resolve<N: Notes>(view: &View<'_, N>, note: &Note) -> (bool, String) {
    let dead: Vec<&str> = note
        .links()
        .iter()
        .filter(|link| !view.links.resolve(note.path(), link).is_sound() && !(view.is_own)(note, link))
        .map(|link| link.target.as_str())
        .collect();
    match dead.first() {
        None => (true, format!("no link that was written into `{}` leads nowhere", note.path())),
        Some(first) => (false, format!("{} links of `{}` lead nowhere, the first `{first}`", dead.len(), note.path())),
    }
}

fn found_linked<N: Notes>(view: &View<'_, N>, note: &Note) -> (bool, String) {
    let linked: Vec<NotePath> =
        note.links().iter().filter_map(|link| view.links.resolve(note.path(), link).note().cloned()).collect();
    let missing: Vec<&str> = view
        .findings
        .notes
        .iter()
        .map(|found| found.path.as_str())
        .filter(|path| *path != note.path().as_str() && !linked.iter().any(|other| other.as_str() == *path))
        .collect();
    match missing.first() {
        None if !view.findings.nothing_about.is_empty() => (false, no_set(view)),
        None if view.findings.notes.is_empty() => (true, "no note was found to be linked".to_owned()),
        None => (true, format!("all {} found notes are linked", view.findings.notes.len())),
        Some(first) => (false, format!("{} found notes are not linked, the first `{first}`", missing.len())),
    }
}
