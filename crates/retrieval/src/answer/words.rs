//! Words that make a request a request and name nothing that is asked for.

use graphloom_text::{Language, is_stop_word};

/// Words that ask, of a request or of its form.
const ASKING: &[&str] = &[
    "add",
    "article",
    "brief",
    "briefly",
    "compare",
    "comparing",
    "comparison",
    "contrast",
    "could",
    "create",
    "describe",
    "description",
    "detail",
    "detailed",
    "details",
    "difference",
    "differences",
    "differ",
    "differs",
    "discuss",
    "does",
    "essay",
    "explain",
    "explanation",
    "find",
    "give",
    "happen",
    "happens",
    "help",
    "interested",
    "investigate",
    "know",
    "learn",
    "like",
    "look",
    "make",
    "mean",
    "means",
    "need",
    "note",
    "notes",
    "outline",
    "overview",
    "paragraph",
    "please",
    "prepare",
    "proposal",
    "propose",
    "report",
    "research",
    "say",
    "says",
    "sentence",
    "sentences",
    "short",
    "show",
    "sources",
    "study",
    "studying",
    "summarise",
    "summarize",
    "summary",
    "tell",
    "thanks",
    "understand",
    "versus",
    "vs",
    "want",
    "way",
    "ways",
    "word",
    "words",
    "work",
    "works",
    "write",
    "writing",
];

/// Words that begin a question of its own.
pub(super) const QUESTIONS: &[&str] = &[
    "how", "what", "when", "where", "whether", "which", "who", "whom", "whose", "why", "wie", "was", "wann", "warum",
    "wo", "wer", "welche", "comment", "pourquoi", "quand", "quel", "quelle", "quels", "quelles", "cómo", "qué",
    "cuándo", "cuál", "cuáles",
];

/// Words that begin a question after a comma; others begin a clause there that belongs to what stands before it.
pub(super) const AFTER_COMMA: &[&str] = &["how", "what", "why", "wie", "warum", "comment", "pourquoi", "cómo", "qué"];

/// Words that a list does not go on with after a comma.
pub(super) const ATTACHING: &[&str] = &[
    "at",
    "by",
    "comparing",
    "especially",
    "for",
    "from",
    "in",
    "including",
    "like",
    "on",
    "such",
    "through",
    "to",
    "using",
    "with",
    "without",
];

/// Words that begin a clause that a question rests on.
pub(super) const SUBORDINATE: &[&str] =
    &["although", "as", "because", "given", "if", "once", "since", "though", "when", "while"];

/// What is joined and is one thing.
const PAIRS: &[(&str, &str)] = &[
    ("backup", "restore"),
    ("black", "white"),
    ("bread", "butter"),
    ("cause", "effect"),
    ("client", "server"),
    ("cut", "paste"),
    ("fish", "chips"),
    ("health", "safety"),
    ("law", "order"),
    ("mergers", "acquisitions"),
    ("nuts", "bolts"),
    ("peer", "review"),
    ("profit", "loss"),
    ("pros", "cons"),
    ("read", "write"),
    ("reading", "writing"),
    ("research", "development"),
    ("rock", "roll"),
    ("salt", "pepper"),
    ("search", "rescue"),
    ("supply", "demand"),
    ("terms", "conditions"),
    ("trial", "error"),
    ("ups", "downs"),
    ("wear", "tear"),
];

/// Whether two words, in small letters, are one thing when they are joined.
pub(super) fn is_pair(one: &str, other: &str) -> bool {
    PAIRS.iter().any(|(left, right)| *left == one && *right == other)
}

/// Words that stand for something named before.
pub(super) const PRONOUNS: &[&str] = &["it", "its", "they", "them", "their", "this", "these", "those", "each", "both"];

/// Words that join the items of a list.
pub(super) const JOINING: &[&str] =
    &["and", "or", "vs", "versus", "und", "oder", "et", "ou", "y", "e", "o", "&", "nor"];

/// Verbs that often follow the last item of a list.
pub(super) const FOLLOWING: &[&str] = &[
    "affect", "are", "behave", "build", "can", "change", "come", "compare", "cost", "deal", "differ", "do", "does",
    "fit", "grow", "handle", "happen", "have", "help", "interact", "keep", "live", "made", "make", "matter", "protect",
    "relate", "run", "should", "store", "treat", "use", "used", "was", "were", "work",
];

/// Verbs and adverbs so common that a sentence which shares them need not be about the same.
const COMMON: &[&str] = &[
    "again",
    "allow",
    "allows",
    "always",
    "become",
    "becomes",
    "best",
    "better",
    "bring",
    "brings",
    "call",
    "called",
    "certain",
    "choose",
    "come",
    "comes",
    "decide",
    "decides",
    "different",
    "doing",
    "done",
    "especially",
    "even",
    "ever",
    "exactly",
    "general",
    "get",
    "gets",
    "getting",
    "go",
    "goes",
    "good",
    "handle",
    "handles",
    "instead",
    "keep",
    "keeps",
    "keeping",
    "kind",
    "kinds",
    "let",
    "lets",
    "made",
    "main",
    "makes",
    "making",
    "matter",
    "matters",
    "might",
    "must",
    "often",
    "once",
    "one",
    "out",
    "part",
    "parts",
    "past",
    "people",
    "possible",
    "put",
    "puts",
    "really",
    "same",
    "see",
    "seem",
    "set",
    "some",
    "still",
    "take",
    "takes",
    "thing",
    "things",
    "try",
    "turn",
    "turns",
    "up",
    "usual",
    "usually",
    "well",
    "yet",
];

/// Words that say little of what is asked for and more elsewhere: `without rowid` names something.
const SMALL: &[&str] = &["full", "us", "use", "used", "using", "within", "without"];

/// Whether a word, in small letters, asks.
pub(super) fn asks(word: &str) -> bool {
    ASKING.contains(&word)
}

/// Whether a word, in small letters, says nothing about what is asked for in a language.
pub(super) fn is_empty(word: &str, language: Language) -> bool {
    is_stop_word(word, language)
        || asks(word)
        || COMMON.contains(&word)
        || SMALL.contains(&word)
        || QUESTIONS.contains(&word)
}

/// Words at the head of a further thing that is asked for, which name nothing.
pub(super) const ADDING: &[&str] = &["also", "finally", "lastly", "then", "additionally"];
