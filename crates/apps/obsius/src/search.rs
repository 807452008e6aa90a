//! Search strategies, run for real on the notes as they are to be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use graphloom_vault::{Note, NotePath, Notes, Overlay, Settings};

use crate::analyze::tag_of;
use crate::assess::words;
use crate::state::{Criterion, Findings, Found, PlanSource, SearchRecord, SearchStrategy, SubtaskKind, TaskPlan};
use crate::subject::Subject;
use crate::write::first_sentence;

/// How many characters of a note a finding quotes.
const SNIPPET: usize = 140;
/// How many notes count as recent.
const RECENT: usize = 10;
/// How many folders and themes are told.
const TOP: usize = 5;
/// How many notes that only share words with the subject are remembered.
const NEAR: usize = 10;

/// The strategies of a plan that were not run yet, in the order in which they run.
pub fn strategies(plan: &TaskPlan, findings: &Findings) -> Vec<SearchStrategy> {
    let mut wanted: BTreeSet<SearchStrategy> = plan
        .success_criteria()
        .filter_map(|criterion| match criterion {
            Criterion::Searched { strategy } => Some(*strategy),
            _ => None,
        })
        .collect();
    wanted.insert(SearchStrategy::Keyword);
    if plan.has(SubtaskKind::Create) || plan.has(SubtaskKind::Answer) {
        wanted.insert(SearchStrategy::Content);
    }
    if plan.has(SubtaskKind::Organize) {
        wanted.extend([SearchStrategy::Tag, SearchStrategy::Links]);
    }
    let lower = words(&plan.original_request);
    if lower.iter().any(|word| matches!(word.as_str(), "recent" | "recently" | "latest" | "newest" | "today"))
        || ["最近", "最新", "今日"].iter().any(|word| plan.original_request.contains(word))
    {
        wanted.insert(SearchStrategy::Recent);
    }
    wanted.into_iter().filter(|strategy| !findings.ran(*strategy)).collect()
}

/// Whether a plan is about the notes of its subject: it lists what was found, or, made by rules, tags it.
fn is_about_set(plan: &TaskPlan) -> bool {
    plan.success_criteria().any(|criterion| match criterion {
        Criterion::FoundLinkedFrom { .. } => true,
        // In a model's plan the tag may be what the request is about.
        Criterion::FoundTagged { .. } => plan.source == PlanSource::Rules,
        _ => false,
    })
}

/// How a note is about the subject, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SubjectMatch {
    /// It has the keywords one after the other.
    Phrase,
    /// It has every keyword.
    All,
    /// It has a keyword, or there are none.
    Any,
    /// It has none.
    No,
}

/// Collects what strategies find.
pub struct SearchCollector<'a> {
    notes: &'a Overlay,
    keywords: Vec<String>,
    findings: Findings,
    subject: Subject,
    /// Whether the plan is about a set of notes, and not about one or about a question.
    about_set: bool,
    /// Whether all notes of the subject are asked for.
    takes_all: bool,
    /// The notes that are not to be found: those that the run makes.
    own: BTreeSet<NotePath>,
    limit: usize,
    iteration: u32,
    settings: Arc<Settings>,
}

impl<'a> SearchCollector<'a> {
    /// A collector that continues with earlier findings.
    pub fn new(notes: &'a Overlay, plan: &TaskPlan, findings: Findings, limit: usize, iteration: u32) -> Self {
        let own = notes
            .changes()
            .iter()
            .filter(|(_, change)| change.before.is_none() && change.moved_from.is_none())
            .map(|(path, _)| path.clone())
            .collect();
        let keywords = plan.keywords.iter().map(|word| folded(word)).filter(|word| !word.is_empty()).collect();
        let subject = Subject::of(&plan.original_request, &plan.keywords);
        Self {
            notes,
            keywords,
            findings,
            subject,
            about_set: is_about_set(plan),
            takes_all: false,
            own,
            limit,
            iteration,
            settings: Arc::default(),
        }
    }

    /// The same without the notes that the settings of the vault exclude.
    #[must_use]
    pub fn leaving_out(mut self, settings: Arc<Settings>) -> Self {
        self.settings = settings;
        self
    }

    /// The same where all notes of the subject are asked for: the limit is that of all searches together.
    #[must_use]
    pub fn taking_all(mut self, all: bool) -> Self {
        self.takes_all = all;
        self
    }

    /// The same where the notes that are found are changed without being read by who changes them.
    #[must_use]
    pub fn changing_what_is_found(mut self, changes: bool) -> Self {
        self.about_set |= changes;
        self
    }

    /// The query of a strategy for the index; `None` for a strategy that needs no index.
    pub fn query(&self, strategy: SearchStrategy, request: &str) -> Option<String> {
        match strategy {
            SearchStrategy::Keyword if self.keywords.is_empty() => Some(request.to_owned()),
            SearchStrategy::Keyword => Some(self.keywords.join(" ")),
            SearchStrategy::Content => Some(request.to_owned()),
            _ => None,
        }
    }

    /// Whether the request is about every note.
    pub fn is_everything(&self) -> bool {
        self.subject.is_everything()
    }

    /// Takes every note, by its path.
    pub fn take_all(&mut self) {
        let all: Vec<Note> = self.all().collect();
        self.add(SearchStrategy::Keyword, "all notes", &all, false);
    }

    /// Takes the hits of the index, best first; `more` when there are others.
    pub fn take_hits(&mut self, strategy: SearchStrategy, query: &str, hits: &[NotePath], more: bool) {
        let read = |path: &NotePath| self.notes.read(path).ok().flatten();
        let notes: Vec<Note> = hits.iter().filter_map(read).collect();
        // Where notes are about the whole subject, those that only share a word of it are not meant.
        let best = notes.iter().map(|note| self.fit(note)).min().unwrap_or(SubjectMatch::No);
        let worst_match =
            if best == SubjectMatch::No && strategy == SearchStrategy::Content { SubjectMatch::Any } else { best };
        let mut meant: Vec<Note> = notes.into_iter().filter(|note| self.fit(note) <= worst_match).collect();
        // Where none of the worst hits is meant any more, those behind them hardly are.
        let worst = &hits[hits.len() - hits.len() / 4..];
        let mut more = more && meant.iter().any(|note| hits.len() < 4 || worst.contains(note.path()));
        if self.takes_all && strategy == SearchStrategy::Keyword {
            // The index ranks some low, and gives a text once that several notes have.
            let known: BTreeSet<NotePath> = meant.iter().map(|note| note.path().clone()).collect();
            meant.extend(self.all().filter(|note| !known.contains(note.path()) && self.subject.fits(note)));
            more = false;
        }
        self.add(strategy, query, &meant, more);
    }

    /// Looks for tags made of the keywords.
    pub fn by_tag(&mut self) {
        let whole = tag_of(&self.keywords);
        let wanted: BTreeSet<String> = match self.keywords.as_slice() {
            [one] => BTreeSet::from([one.clone()]),
            _ => BTreeSet::from([whole.clone(), whole.replace('-', "_"), whole.replace('-', "")]),
        };
        let has = |note: &Note| {
            note.tag_names().iter().any(|name| {
                let name = name.to_lowercase();
                wanted.iter().any(|tag| name == *tag || name.starts_with(&format!("{tag}/")))
            })
        };
        let found: Vec<Note> = self.all().filter(has).collect();
        self.add(SearchStrategy::Tag, &whole, &found, false);
    }

    /// Follows links from and to what was found, to notes that are about the subject as well.
    pub fn by_links(&mut self) {
        let index = self.notes.links();
        let start: Vec<NotePath> =
            self.findings.notes.iter().filter_map(|found| NotePath::of_file(&found.path).ok()).collect();
        let mut near: BTreeSet<NotePath> = BTreeSet::new();
        for path in &start {
            near.extend(index.outgoing(path).iter().filter_map(|link| link.to.note().cloned()));
            near.extend(index.backlinks(path).iter().map(|link| link.from.clone()));
        }
        let found: Vec<Note> = near
            .iter()
            .filter(|path| !start.contains(path) && !self.settings.excluded.has(path))
            .filter_map(|path| self.notes.read(path).ok().flatten())
            .filter(|note| self.fit(note) <= SubjectMatch::All)
            .collect();
        self.add(SearchStrategy::Links, &format!("{} notes", start.len()), &found, false);
    }

    /// The notes that changed last, by the file system.
    pub fn by_time(&mut self) {
        let vault = self.notes.vault();
        let time = |path: &NotePath| std::fs::metadata(vault.file(path)).and_then(|meta| meta.modified()).ok();
        let mut dated: Vec<_> = self.paths().filter_map(|path| Some((time(&path)?, path))).collect();
        dated.sort_by(|(a, one), (b, other)| b.cmp(a).then(one.cmp(other)));
        let found: Vec<Note> =
            dated.iter().take(RECENT).filter_map(|(_, path)| self.notes.read(path).ok().flatten()).collect();
        self.add(SearchStrategy::Recent, "the last changed", &found, false);
    }

    /// The findings, with what they have in common and what is missing.
    pub fn finish(mut self) -> Findings {
        self.judge_subject();
        let found = &self.findings.notes;
        self.findings.folders = top(found.iter().map(|note| folder_of(&note.path)).filter(|folder| !folder.is_empty()));
        self.findings.themes = top(found.iter().flat_map(|note| note.tags.iter().cloned()));
        let texts: Vec<String> = found
            .iter()
            .filter_map(|found| NotePath::of_file(&found.path).ok())
            .filter_map(|path| self.notes.read(&path).ok().flatten())
            .map(|note| subject_text(&note))
            .collect();
        let missing = |word: &&String| !texts.iter().any(|text| text.contains(*word));
        self.findings.gaps = self.keywords.iter().filter(missing).cloned().collect();
        self.findings
    }

    /// Puts aside what was found where none of it is about the subject: a set of accidents is no set.
    fn judge_subject(&mut self) {
        let read = |found: &Found| NotePath::of_file(&found.path).ok().and_then(|path| self.notes.read(&path).ok()?);
        let fits = |found: &Found| read(found).is_some_and(|note| self.subject.fits(&note));
        let about = self.subject.is_everything() || self.findings.notes.iter().any(fits);
        // The last changed are asked for whatever they are about.
        let dated = self.findings.ran(SearchStrategy::Recent);
        if about || dated || !self.about_set {
            self.findings.nothing_about.clear();
            return;
        }
        self.findings.nothing_about = self.keywords.join(" ");
        let near = std::mem::take(&mut self.findings.notes);
        self.findings.near = near.into_iter().take(NEAR).collect();
    }

    fn all(&self) -> impl Iterator<Item = Note> + '_ {
        self.paths().filter_map(|path| self.notes.read(&path).ok().flatten())
    }

    fn paths(&self) -> impl Iterator<Item = NotePath> + '_ {
        self.notes.paths().into_iter().filter(|path| !self.settings.excluded.has(path))
    }

    fn fit(&self, note: &Note) -> SubjectMatch {
        if self.keywords.is_empty() {
            return SubjectMatch::Any;
        }
        let text = subject_text(note);
        if text.contains(&self.keywords.join(" ")) {
            SubjectMatch::Phrase
        } else if self.keywords.iter().all(|word| text.contains(word)) {
            SubjectMatch::All
        } else if self.keywords.iter().any(|word| text.contains(word)) {
            SubjectMatch::Any
        } else {
            SubjectMatch::No
        }
    }

    fn add(&mut self, strategy: SearchStrategy, query: &str, notes: &[Note], mut more: bool) {
        let mut new = 0;
        let mut hits = 0;
        for (rank, note) in notes.iter().filter(|note| !self.own.contains(note.path())).enumerate() {
            hits += 1;
            let path = note.path().as_str();
            if let Some(known) = self.findings.notes.iter_mut().find(|found| found.path == path) {
                if !known.by.contains(&strategy) {
                    known.by.push(strategy);
                }
                continue;
            }
            if new == self.limit || (self.takes_all && self.findings.notes.len() >= self.limit) {
                more = true;
                continue;
            }
            new += 1;
            self.findings.notes.push(Found {
                path: path.to_owned(),
                title: note.title().to_owned(),
                hash: note.hash().as_str().to_owned(),
                tags: note.tag_names().into_iter().map(str::to_owned).collect(),
                snippet: first_sentence(note, SNIPPET),
                by: vec![strategy],
                score: 1.0 / (rank + 1) as f64,
            });
        }
        let iteration = self.iteration;
        self.findings.searches.push(SearchRecord { strategy, query: query.to_owned(), hits, new, more, iteration });
    }
}

impl std::fmt::Debug for SearchCollector<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchCollector")
            .field("keywords", &self.keywords)
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

/// What a note says, in lower case, with one space between words and none of the marks that join them.
fn subject_text(note: &Note) -> String {
    folded(&format!("{} {} {} {}", note.path().name(), note.title(), note.tag_names().join(" "), note.body()))
}

fn folded(text: &str) -> String {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| c.is_whitespace() || matches!(c, '-' | '_'))
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn folder_of(path: &str) -> String {
    path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
}

fn top(names: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|(a, m), (b, n)| n.cmp(m).then(a.cmp(b)));
    counts.truncate(TOP);
    counts
}
