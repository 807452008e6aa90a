//! Indicators and actions in English.

/// Words that show that a request is complex, with their inflected forms and British spellings.
const INDICATORS: &[(&str, &[&str])] = &[
    (
        "organize",
        &["organize", "organizes", "organized", "organizing", "organise", "organises", "organised", "organising"],
    ),
    ("analyze", &["analyze", "analyzes", "analyzed", "analyzing", "analyse", "analyses", "analysed", "analysing"]),
    ("research", &["research", "researches", "researched", "researching"]),
    ("comprehensive", &["comprehensive", "comprehensively"]),
    ("detailed", &["detailed"]),
    ("multiple", &["multiple"]),
    ("all", &["all"]),
    ("every", &["every"]),
];

/// Verbs that ask for something to be done in a vault.
const ACTIONS: &[&str] = &[
    "add",
    "append",
    "arrange",
    "build",
    "categorize",
    "change",
    "collect",
    "combine",
    "compare",
    "convert",
    "copy",
    "create",
    "delete",
    "discover",
    "draft",
    "edit",
    "explain",
    "explore",
    "extract",
    "find",
    "fix",
    "gather",
    "generate",
    "group",
    "improve",
    "insert",
    "link",
    "list",
    "locate",
    "make",
    "merge",
    "modify",
    "move",
    "open",
    "outline",
    "put",
    "read",
    "remove",
    "rename",
    "replace",
    "rewrite",
    "search",
    "show",
    "sort",
    "split",
    "structure",
    "summarise",
    "summarize",
    "tag",
    "tell",
    "translate",
    "update",
    "write",
];

/// Words after which an action may begin.
const OPENERS: &[&str] =
    &["please", "then", "also", "first", "next", "finally", "afterwards", "can", "could", "you", "would", "now"];

/// The first indicator of a complex request.
pub(super) fn indicator(request: &str) -> Option<String> {
    let words = super::words(request);
    let is_there = |forms: &[&str]| words.iter().any(|word| forms.contains(&word.as_str()));
    INDICATORS.iter().find(|(_, forms)| is_there(forms)).map(|(name, _)| (*name).to_owned())
}

/// The actions that a request asks for, in order.
///
/// A verb counts where a clause begins: at the start, after punctuation, after `and`, `then` and the like. `to find and fix`
/// names a subject, so neither verb counts.
pub(super) fn actions(request: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for clause in request.split(['.', ';', ',', ':', '!', '?', '\n', '、', '。']) {
        let words = super::words(clause);
        let mut in_infinitive = false;
        let mut begins = true;
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| words[at].as_str());
            if ACTIONS.contains(&word.as_str()) {
                match before {
                    Some("to") => in_infinitive = true,
                    Some("and" | "or") if in_infinitive => {}
                    _ if begins => found.push(word.clone()),
                    _ => {}
                }
            }
            begins = word == "and" || OPENERS.contains(&word.as_str()) && (begins || word == "then" || word == "also");
            if word == "then" {
                in_infinitive = false;
            }
        }
    }
    found
}
