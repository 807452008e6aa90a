//! Words made comparable over their endings.

/// Words that say nothing about what a sentence is about.
const STOP: &[&str] = &[
    "a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "from", "with", "and", "or", "as", "is", "are", "was",
    "were", "be", "been", "being", "it", "its", "this", "that", "these", "those", "which", "who", "whom", "whose",
    "there", "here", "then", "than", "so", "such", "do", "does", "did", "has", "have", "had", "will", "would", "can",
    "could", "may", "might", "must", "shall", "should", "also", "into", "onto", "over", "under", "about", "if", "when",
    "while", "where", "what", "how", "but", "they", "them", "their", "he", "she", "his", "her", "we", "our", "you",
    "your", "i", "my", "one", "any", "all", "each", "only", "very", "just", "more", "most", "other", "some", "up",
    "out", "both", "between", "after", "before", "because", "der", "die", "das", "den", "dem", "des", "ein", "eine",
    "einen", "einem", "einer", "und", "oder", "ist", "sind", "war", "waren", "wird", "werden", "wurde", "im", "am",
    "zu", "zum", "zur", "von", "vom", "mit", "auf", "für", "bei", "aus", "nach", "als", "auch", "es", "sie", "er",
    "dass", "wenn", "wie", "的", "了", "在", "是", "和", "与", "及", "也", "の", "は", "が", "を", "に", "で", "と",
    "も", "て", "た", "し", "る", "す",
];

/// Whether a folded word carries no content of its own.
pub(crate) fn is_stop(word: &str) -> bool {
    STOP.contains(&word)
}

/// A folded word without its common English or German ending; only compared, never shown.
pub(crate) fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if !word.is_ascii() || word.len() < 4 || word.bytes().any(|b| !b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    for (ending, instead, least) in [
        ("ization", "iz", 4),
        ("ations", "at", 3),
        ("ation", "at", 3),
        ("ities", "it", 3),
        ("ies", "y", 3),
        ("ness", "", 3),
        ("ment", "", 4),
        ("ingly", "", 3),
        ("edly", "", 3),
        ("ing", "", 3),
        ("ity", "it", 3),
        ("ed", "", 3),
        ("ly", "", 3),
        ("es", "", 3),
        ("s", "", 3),
        ("e", "", 3),
        ("en", "", 4),
        ("er", "", 4),
    ] {
        if let Some(body) = word.strip_suffix(ending)
            && body.len() >= least
            && !(ending == "s" && body.ends_with(['s', 'u', 'i']))
        {
            return undouble(&format!("{body}{instead}"));
        }
    }
    word.to_owned()
}

/// `committ` is compared as `commit`.
fn undouble(word: &str) -> String {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && !matches!(b, b'l' | b's' | b'e' | b'o') && bytes.len() > 4 => {
            word[..word.len() - 1].to_owned()
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one() {
        for group in [
            ["commit", "commits", "committed", "committing"],
            ["store", "stores", "stored", "storing"],
            ["query", "queries", "query", "queries"],
        ] {
            let stems: Vec<String> = group.iter().map(|word| stem(word)).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{group:?} became {stems:?}");
        }
        assert_ne!(stem("wal"), stem("was"));
    }
}
