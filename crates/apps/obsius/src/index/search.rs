//! Searches: by text, by title, by tag, by time.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use graphloom_retrieval::extract::{query_terms, snippet, terms};
use graphloom_retrieval::{PendingDocument, SearchOptions, Source};
use graphloom_vault::{ContentHash, Note, NotePath, Notes, Overlay};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Card, IndexError, VaultIndex};

/// What a full match of title or tags adds to the score of the text, in a search of everything. Scores of good passages
/// are around ten.
const TITLE_BONUS: f32 = 4.0;
const TAG_BONUS: f32 = 3.0;
/// A title of which less than this share of the question's terms is had is found by its text alone.
const ENOUGH: f32 = 0.5;
/// How many passages are ranked at least. Titles and tags change their order, so more are than are shown.
const RANKED: usize = 256;

/// What to look for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SearchQuery {
    /// Words in any language; no sign in them has a meaning. For what people write there is [`parse`](Self::parse).
    pub text: String,
    /// Tags that a note must have, or one below each, without `#`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Parts that the path of a note must have, whatever the case of letters.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Phrases that must stand in a note, whatever the case of letters and the space between words.
    #[serde(default)]
    pub phrases: Vec<String>,
    /// Whether words that stand in no note are searched by what is spelt like them.
    #[serde(default)]
    pub tolerant: bool,
    /// Where to look.
    #[serde(default)]
    pub field: SearchField,
    /// Only notes in this folder and below it; `None` and `""` are the whole vault.
    #[serde(default)]
    pub folder: Option<String>,
    /// At most this many notes.
    pub limit: usize,
    /// How many of the best are passed over, to see the next ones.
    #[serde(default)]
    pub offset: usize,
}

/// Some of the notes that fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Page {
    /// The notes, best first.
    pub found: Vec<FoundNote>,
    /// Whether more notes fit than these and those that were passed over.
    pub more: bool,
    /// Words that stand in no note, and by what they were searched instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrected: Vec<Correction>,
}

/// A word that stands in no note, and what is spelt like it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Correction {
    /// The word as it was asked for.
    pub word: String,
    /// What was searched instead, as the index has it: in lower case, without endings.
    pub searched: Vec<String>,
}

impl Page {
    /// A sentence about words that stand in no note; empty when there are none.
    pub fn corrected_in_words(&self) -> String {
        let ticked = |words: &[String]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let sentences = self.corrected.iter().map(|correction| {
            format!("`{}` is in no note; searched for {}", correction.word, ticked(&correction.searched))
        });
        sentences.collect::<Vec<_>>().join("; ")
    }
}

/// Where to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SearchField {
    /// Text, titles and tags.
    #[default]
    All,
    /// The text.
    Content,
    /// Titles, aliases and file names.
    Title,
    /// Tags.
    Tags,
}

/// A note that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundNote {
    /// Where it is.
    pub path: NotePath,
    /// Its title.
    pub title: String,
    /// The sentences that fit best, or its beginning.
    pub snippet: String,
    /// How well it fits; only comparable within one search, larger is better.
    pub score: f32,
    /// The hash of its bytes as they are to be.
    pub hash: ContentHash,
    /// Whether it is changed and not written yet.
    pub pending: bool,
}

impl SearchQuery {
    /// A search of everything for at most `limit` notes.
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self {
            text: text.into(),
            tags: Vec::new(),
            paths: Vec::new(),
            phrases: Vec::new(),
            tolerant: false,
            field: SearchField::All,
            folder: None,
            limit,
            offset: 0,
        }
    }

    /// Sets where to look.
    #[must_use]
    pub fn in_field(mut self, field: SearchField) -> Self {
        self.field = field;
        self
    }

    /// Passes over so many of the best notes.
    #[must_use]
    pub fn from_offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// How many notes are ranked: the same for all pages of a list that is not very long, so that each note is on one.
    fn ranked(&self) -> usize {
        self.offset.saturating_add(self.limit).saturating_add(1).saturating_mul(2).next_multiple_of(RANKED)
    }

    /// Only notes in this folder and below it.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<String>) -> Self {
        self.folder = Some(folder.into());
        self
    }
}

impl VaultIndex {
    /// The notes that fit best, as the overlay has them: best first, equal ones by path. It blocks.
    ///
    /// # Errors
    /// The index was never refreshed, or is damaged.
    pub fn search(&self, overlay: &Overlay, query: &SearchQuery) -> Result<Vec<FoundNote>, IndexError> {
        Ok(self.page(overlay, query)?.found)
    }

    /// As [`search`](Self::search), and whether there are more. Pages that follow each other by
    /// [`from_offset`](SearchQuery::from_offset) show each note once, while there are fewer than 120.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn page(&self, overlay: &Overlay, query: &SearchQuery) -> Result<Page, IndexError> {
        let mut scores: BTreeMap<NotePath, (f32, Option<String>)> = BTreeMap::new();
        let cards = self.shown_cards(overlay);
        let corrected = if query.tolerant { self.corrected(overlay, query, &cards)? } else { Vec::new() };
        let mut query = query.clone();
        for correction in &corrected {
            query.text = format!("{} {}", query.text, correction.searched.join(" "));
        }
        let query = &query;
        if matches!(query.field, SearchField::All | SearchField::Content) {
            for (path, score, text) in self.passages(overlay, query)? {
                scores.insert(path, (score, Some(text)));
            }
        }
        if query.field != SearchField::Content || query.is_filter() {
            let wanted = query_terms(&query.text);
            let reads = |card: &Card| {
                query.phrases.is_empty()
                    || overlay.read(&card.path).ok().flatten().is_some_and(|note| query.takes_text(&note))
            };
            for (card, _) in cards {
                if !is_in(&card.path, query.folder.as_deref()) || !query.takes_card(&card) {
                    continue;
                }
                let title = title_fit(&card, &query.text, &wanted);
                let tags = tag_fit(&card, &query.text, &wanted);
                let score = match query.field {
                    _ if query.is_filter() => 1.0,
                    SearchField::Title => title,
                    SearchField::Tags => tags,
                    _ if title >= ENOUGH || tags >= ENOUGH || scores.contains_key(&card.path) => {
                        TITLE_BONUS * title + TAG_BONUS * tags
                    }
                    _ => 0.0,
                };
                if score > 0.0 && (scores.contains_key(&card.path) || reads(&card)) {
                    scores.entry(card.path.clone()).or_insert((0.0, None)).0 += score;
                }
            }
        }
        let mut ranked: Vec<(NotePath, f32, Option<String>)> =
            scores.into_iter().map(|(path, (score, text))| (path, score, text)).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut ranked = ranked.into_iter().filter(|(path, ..)| overlay.contains(path)).skip(query.offset);
        let some = ranked.by_ref().take(query.limit);
        let found = some.filter_map(|(path, score, text)| found(overlay, path, score, text, &query.text)).collect();
        Ok(Page { found, more: ranked.next().is_some(), corrected })
    }

    /// The notes that changed last, those that are changed and not written yet first.
    pub fn recent(&self, overlay: &Overlay, folder: Option<&str>, limit: usize) -> Vec<FoundNote> {
        let mut cards: Vec<(Arc<Card>, bool)> =
            self.shown_cards(overlay).into_iter().filter(|(card, _)| is_in(&card.path, folder)).collect();
        cards.sort_by(|(one, pending), (other, other_pending)| {
            other_pending.cmp(pending).then(other.modified.cmp(&one.modified)).then(one.path.cmp(&other.path))
        });
        cards.into_iter().filter_map(|(card, _)| found(overlay, card.path.clone(), 0.0, None, "")).take(limit).collect()
    }

    /// The words of a search that stand in no note, with what is spelt like them.
    fn corrected(
        &self,
        overlay: &Overlay,
        query: &SearchQuery,
        cards: &[(Arc<Card>, bool)],
    ) -> Result<Vec<Correction>, IndexError> {
        let pending: OnceCell<BTreeSet<String>> = OnceCell::new();
        let in_pending = || {
            let texts = overlay.changes().iter().filter_map(|(_, change)| change.after.as_deref());
            texts.flat_map(terms).collect()
        };
        let is_known = |term: &str| {
            let has = |terms: &[String]| terms.binary_search_by(|other| other.as_str().cmp(term)).is_ok();
            cards.iter().any(|(card, _)| has(&card.name_terms) || has(&card.tag_terms))
                || pending.get_or_init(in_pending).contains(term)
        };
        let found = self.corpus.similar_words(&query.text, &is_known)?;
        Ok(found.into_iter().map(|(word, searched)| Correction { word, searched }).collect())
    }

    /// The best passage of each note: path, score and the sentences to show.
    fn passages(&self, overlay: &Overlay, query: &SearchQuery) -> Result<Vec<(NotePath, f32, String)>, IndexError> {
        let changes = overlay.changes();
        let catalogue = self.catalogue();
        let folder = query.folder.as_deref();
        let settings = self.settings();
        let has_phrases =
            |path: &NotePath| overlay.read(path).ok().flatten().is_some_and(|note| query.takes_text(&note));
        // A note is asked for once for each of its passages.
        let read: RefCell<BTreeMap<NotePath, bool>> = RefCell::default();
        let takes = |path: &NotePath| {
            query.phrases.is_empty() || *read.borrow_mut().entry(path.clone()).or_insert_with_key(&has_phrases)
        };
        let keep = |path: &str| {
            NotePath::of_file(path).is_ok_and(|path| {
                is_in(&path, folder)
                    && !settings.excluded.has(&path)
                    && changes.get(&path).is_none()
                    && catalogue.get(&path).is_some_and(|card| query.takes_card(card))
                    && takes(&path)
            })
        };
        let is_pending = |path: &NotePath| {
            let note = || overlay.read(path).ok().flatten();
            let takes = |note: Note| query.takes_card(&Card::of(&note, 0)) && query.takes_text(&note);
            path.is_note() && is_in(path, folder) && !settings.excluded.has(path) && note().is_some_and(takes)
        };
        let pending: Vec<PendingDocument<'_>> = changes
            .iter()
            .filter(|(path, _)| is_pending(path))
            .filter_map(|(path, change)| Some(PendingDocument { path: path.as_str(), text: change.after.as_deref()? }))
            .collect();
        let options = SearchOptions::with_limit(query.ranked()).per_document(1);
        let hits = self.corpus.search_with(&query.text, &options, &keep, &pending)?;
        let path_of = |source: &Source| match source {
            Source::Local { path, .. } => NotePath::of_file(path).ok(),
            _ => None,
        };
        Ok(hits.into_iter().filter_map(|hit| Some((path_of(&hit.evidence.source)?, hit.score, hit.snippet))).collect())
    }
}

/// The note as the overlay has it now; nothing when it is gone or cannot be read any more.
pub(super) fn found(
    overlay: &Overlay,
    path: NotePath,
    score: f32,
    shown: Option<String>,
    question: &str,
) -> Option<FoundNote> {
    let note = overlay.read(&path).ok()??;
    let snippet = shown.unwrap_or_else(|| snippet(question, note.body()));
    let pending = overlay.changes().get(&path).is_some();
    Some(FoundNote { title: note.title().to_owned(), hash: note.hash().clone(), path, snippet, score, pending })
}

/// Whether a note is in a folder or below it, whatever the case of letters.
pub(crate) fn is_in(path: &NotePath, folder: Option<&str>) -> bool {
    let folder = folder.unwrap_or_default().trim().trim_start_matches("./").trim_matches('/').to_lowercase();
    if folder.is_empty() || folder == "." {
        return true;
    }
    let own = path.folder().to_lowercase();
    own == folder || own.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
}

/// 1 for all terms, more for the very words, 0 for none.
fn title_fit(card: &Card, text: &str, wanted: &[String]) -> f32 {
    let query = text.trim().to_lowercase();
    let names = [card.title.as_str(), card.path.name()];
    let names = names.into_iter().chain(card.aliases.iter().map(String::as_str));
    let exact = !query.is_empty() && names.into_iter().any(|name| name.to_lowercase() == query);
    share(wanted, &card.name_terms) + if exact { 1.0 } else { 0.0 }
}

fn tag_fit(card: &Card, text: &str, wanted: &[String]) -> f32 {
    if card.tags.is_empty() {
        return 0.0;
    }
    let query = text.trim();
    if !query.is_empty() && card.has_tag(query) { 1.0 } else { share(wanted, &card.tag_terms) }
}

fn share(wanted: &[String], had: &[String]) -> f32 {
    let found = wanted.iter().filter(|term| had.binary_search(term).is_ok()).count();
    if wanted.is_empty() { 0.0 } else { found as f32 / wanted.len() as f32 }
}
