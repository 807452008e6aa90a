//! What a request wants done, told by its words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use crate::assess::{Language, count_words, is_cjk, language, words};

/// What a request wants done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Intents {
    /// Notes are to be found.
    pub search: bool,
    /// Notes are to be made.
    pub create: bool,
    /// Notes are to be changed.
    pub modify: bool,
    /// Notes are to be put in order.
    pub organize: bool,
    /// Notes are to be removed.
    pub delete: bool,
    /// Notes are to be moved or renamed.
    pub rename: bool,
    /// Something is asked.
    pub ask: bool,
}

const SEARCH: (&[&str], &[&str]) = (
    &["find", "search", "locate", "discover", "explore", "look", "list"],
    &["検索", "探し", "探す", "見つけ", "一覧を見"],
);
pub(super) const CREATE: (&[&str], &[&str]) = (
    &["create", "make", "write", "generate", "build", "draft", "compose"],
    &["作成", "作って", "作る", "作り", "書いて", "書く", "生成", "まとめて", "要約"],
);
pub(super) const MODIFY: (&[&str], &[&str]) = (
    &[
        "update", "edit", "change", "modify", "fix", "improve", "enhance", "append", "rewrite", "add", "insert", "tag",
        "replace",
    ],
    &["更新", "編集", "変更", "修正", "改善", "追加", "追記", "付けて", "つけて", "置き換え"],
);
pub(super) const ORGANIZE: (&[&str], &[&str]) = (
    &["organize", "organise", "organizing", "structure", "arrange", "categorize", "sort", "group"],
    &["整理", "分類", "並べ"],
);
pub(super) const DELETE: (&[&str], &[&str]) = (&["delete", "remove", "discard"], &["削除", "消して", "捨て"]);
pub(super) const RENAME: (&[&str], &[&str]) = (&["rename", "move"], &["移動", "名前を変"]);
const ASK: (&[&str], &[&str]) = (
    &["what", "which", "who", "when", "where", "why", "how", "does", "is", "are", "tell", "explain", "show", "read"],
    &["何", "どれ", "誰", "いつ", "どこ", "なぜ", "教えて", "見せて", "ですか", "ますか"],
);

/// Words that say nothing about the subject.
const STOP: &[&str] = &[
    "the",
    "and",
    "for",
    "with",
    "that",
    "this",
    "from",
    "they",
    "have",
    "will",
    "then",
    "into",
    "about",
    "of",
    "in",
    "on",
    "to",
    "my",
    "your",
    "our",
    "their",
    "its",
    "it",
    "an",
    "please",
    "could",
    "would",
    "should",
    "can",
    "you",
    "me",
    "them",
    "each",
    "every",
    "all",
    "multiple",
    "comprehensive",
    "detailed",
    "research",
    "analyze",
    "analyse",
    "also",
    "new",
    "note",
    "notes",
    "page",
    "pages",
    "document",
    "documents",
    "file",
    "files",
    "vault",
    "index",
    "overview",
    "summary",
    "list",
    "outline",
    "report",
    "guide",
    "link",
    "links",
    "related",
    "some",
    "any",
    "there",
    "here",
    "short",
    "long",
    "together",
    "them",
    "those",
    "these",
    "what",
    "which",
    "when",
    "where",
    "does",
];

/// Words of Japanese that say nothing about the subject, longest first.
const STOP_JA: &[&str] = &[
    "ノート",
    "メモ",
    "索引",
    "目次",
    "一覧",
    "包括的",
    "詳細",
    "複数",
    "全部",
    "整理",
    "作成",
    "検索",
    "追加",
    "更新",
    "削除",
    "移動",
    "編集",
    "要約",
    "変更",
    "修正",
    "分析",
    "調査",
    "研究",
    "関連",
    "全て",
    "全",
    "各",
    "新",
    "作",
    "書",
    "読",
    "探",
    "教",
    "下",
];

/// What the deliverable of a request is called, as (word, noun of a title).
const DELIVERABLES: &[(&str, &str)] = &[
    ("index", "Index"),
    ("overview", "Overview"),
    ("summary", "Summary"),
    ("outline", "Outline"),
    ("guide", "Guide"),
    ("report", "Report"),
    ("list", "List"),
];

const DELIVERABLES_JA: &[&str] = &["索引", "目次", "一覧", "要約", "概要"];

impl Intents {
    /// The intents of a request.
    pub fn of(request: &str) -> Self {
        let words = words(request);
        let has = |(english, japanese): (&[&str], &[&str])| {
            words.iter().any(|word| english.contains(&word.as_str()))
                || japanese.iter().any(|word| request.contains(word))
        };
        Self {
            search: has(SEARCH),
            create: has(CREATE),
            modify: has(MODIFY),
            organize: has(ORGANIZE),
            delete: has(DELETE),
            rename: has(RENAME),
            ask: has(ASK) || request.trim_end().ends_with(['?', '？']),
        }
    }

    /// Whether something is to be different afterwards, by any of its words.
    pub fn changes_something(&self) -> bool {
        self.create || self.modify || self.organize || self.delete || self.rename
    }
}

/// An estimate of complexity, from 1.
pub fn estimated_complexity(request: &str) -> u32 {
    let intents = Intents::of(request);
    let words = words(request);
    let joins = words.iter().any(|word| word == "and" || word == "then");
    let mut complexity = 1;
    complexity += u32::from(request.chars().count() > 100);
    complexity += u32::from(joins);
    complexity += u32::from(count_words(request) > 20);
    complexity += 2 * u32::from(intents.search && intents.create);
    complexity += 2 * u32::from(intents.modify && intents.create);
    complexity + u32::from(intents.organize)
}

/// The words that a request is about, in its order, each once.
pub fn keywords(request: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut keep = |word: String| {
        if !found.iter().any(|other| other.eq_ignore_ascii_case(&word)) {
            found.push(word);
        }
    };
    for word in request.unicode_words().filter(|word| !word.chars().any(is_cjk)) {
        let lower = word.to_lowercase();
        let acronym = word.chars().count() > 1 && word.chars().all(|c| c.is_uppercase() || c.is_numeric());
        let is_verb = [SEARCH, CREATE, MODIFY, ORGANIZE, DELETE, RENAME, ASK]
            .iter()
            .any(|(english, _)| english.contains(&lower.as_str()));
        if acronym || (lower.chars().count() > 2 && !is_verb && !STOP.contains(&lower.as_str())) {
            keep(word.to_owned());
        }
    }
    japanese_terms(request).into_iter().for_each(keep);
    found.truncate(10);
    found
}

/// Runs of ideographs or katakana, without words that say nothing.
fn japanese_terms(text: &str) -> Vec<String> {
    let mut cleaned = text.to_owned();
    for word in STOP_JA {
        cleaned = cleaned.replace(word, "\u{3000}");
    }
    let is_term = |c: char| is_cjk(c) && !matches!(c, '\u{3041}'..='\u{309f}') && c != '・';
    cleaned.split(|c| !is_term(c)).filter(|run| run.chars().count() > 1).map(str::to_owned).collect()
}

/// A title for the note that a request asks for: its subject, and what kind of note it is to be.
pub fn title_of(request: &str) -> String {
    let subject = keywords(request);
    if language(request) == Language::Japanese {
        let noun = DELIVERABLES_JA.iter().find(|noun| request.contains(**noun));
        let subject = subject.join("と");
        return match noun {
            Some(noun) if !subject.is_empty() => format!("{subject}の{noun}"),
            Some(noun) => (*noun).to_owned(),
            None => subject,
        };
    }
    let words = words(request);
    let noun = DELIVERABLES.iter().find(|(word, _)| words.iter().any(|other| other == word));
    let mut parts: Vec<String> = subject.iter().take(6).map(|word| capitalised(word)).collect();
    parts.extend(noun.map(|(_, noun)| (*noun).to_owned()));
    parts.join(" ")
}

/// Whether a request asks for a note that lists others.
pub fn wants_index(request: &str) -> bool {
    let words = words(request);
    ["index", "overview", "list", "map", "contents"].iter().any(|noun| words.iter().any(|word| word == noun))
        || ["索引", "目次", "一覧"].iter().any(|noun| request.contains(noun))
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_and_titles_come_from_the_request() {
        for (request, terms, title) in [
            ("Create a note about AI", &["AI"][..], "AI"),
            (
                "Organize all my machine learning notes and create a comprehensive index",
                &["machine", "learning"],
                "Machine Learning Index",
            ),
            ("Write a summary of the tides notes", &["tides"], "Tides Summary"),
            ("機械学習のノートをすべて整理して包括的な索引を作成してください", &["機械学習"], "機械学習の索引"),
            ("Update all the notes", &[], ""),
        ] {
            assert_eq!(keywords(request), terms, "{request}");
            assert_eq!(title_of(request), title, "{request}");
        }
    }

    #[test]
    fn intents_are_whole_words() {
        let example = Intents::of("Organize all my machine learning notes and create a comprehensive index");
        assert!(example.organize && example.create && !example.modify && !example.search);
        let none = Intents::of("The address of the creator of the sorting hat");
        assert!(!none.changes_something(), "{none:?}");
        assert!(Intents::of("ノートを検索して").search);
        assert_eq!(estimated_complexity("Create a note about AI"), 1);
        assert!(estimated_complexity("Organize my notes and create an index") > 2);
    }
}
