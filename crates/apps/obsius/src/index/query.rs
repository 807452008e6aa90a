//! What a person writes to search: words, `tag:`, `path:` and phrases in quotes.

use graphloom_vault::{Note, NotePath};

use super::{Card, SearchQuery};

/// A part of what is written.
enum Part {
    Word(String),
    Phrase(String),
    Tag(String),
    Path(String),
}

impl SearchQuery {
    /// A search as people write it: words, `tag:sea`, `path:Harbours/`, `path:"two words"` and `"a phrase"`. A note has to
    /// have every tag, every part of a path and every phrase; words rank. Words that stand nowhere are searched by what is
    /// spelt like them. A quote that does not close means nothing.
    pub fn parse(written: &str, limit: usize) -> Self {
        let mut query = Self::new("", limit);
        query.tolerant = true;
        let mut words: Vec<String> = Vec::new();
        let mut rest = written.trim_start();
        while !rest.is_empty() {
            let (part, after) = part(rest);
            match part {
                Part::Word(word) => words.push(word),
                Part::Phrase(phrase) => {
                    words.push(phrase.clone());
                    query.phrases.push(phrase);
                }
                Part::Tag(tag) => query.tags.push(tag),
                Part::Path(path) => query.paths.push(path),
            }
            rest = after.trim_start();
        }
        query.text = words.join(" ");
        query
    }

    /// Whether there is nothing but conditions, so that every note that meets them is found.
    pub(super) fn is_filter(&self) -> bool {
        self.text.trim().is_empty() && !(self.tags.is_empty() && self.paths.is_empty())
    }

    /// Whether a note may be found by its path and its tags.
    pub(super) fn takes_card(&self, card: &Card) -> bool {
        self.tags.iter().all(|tag| card.has_tag(tag)) && self.takes_path(&card.path)
    }

    fn takes_path(&self, path: &NotePath) -> bool {
        let own = path.as_str().to_lowercase();
        self.paths.iter().all(|part| own.contains(&part.to_lowercase()))
    }

    /// Whether a note has every phrase, whatever the case of letters and the space between words.
    pub(super) fn takes_text(&self, note: &Note) -> bool {
        if self.phrases.is_empty() {
            return true;
        }
        let text = folded(&format!("{}\n{}", note.path().name(), note.text()));
        self.phrases.iter().all(|phrase| text.contains(&folded(phrase)))
    }
}

fn folded(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first part of what is written, and what follows it.
fn part(text: &str) -> (Part, &str) {
    if let Some((phrase, after)) = quoted(text) {
        return (Part::Phrase(phrase.to_owned()), after);
    }
    for (operator, made) in [("tag:", Part::Tag as fn(String) -> Part), ("path:", Part::Path as fn(String) -> Part)] {
        let Some(value) = text.get(..operator.len()).filter(|name| name.eq_ignore_ascii_case(operator)) else {
            continue;
        };
        let value = &text[value.len()..];
        let (value, after) = quoted(value).unwrap_or_else(|| word(value));
        let value = value.trim().trim_matches('"').trim_start_matches('#');
        if !value.is_empty() {
            return (made(value.to_owned()), after);
        }
    }
    let (word, after) = word(text);
    (Part::Word(word.to_owned()), after)
}

/// What stands in quotes at the beginning, if it is something.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (inside, after) = text.strip_prefix('"')?.split_once('"')?;
    (!inside.trim().is_empty()).then_some((inside.trim(), after))
}

fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_and_phrases_are_told_from_words() {
        for (written, text, tags, paths, phrases) in [
            ("tides moon", "tides moon", &[][..], &[][..], &[][..]),
            ("tag:#sea TAG:area/home  tides", "tides", &["sea", "area/home"], &[], &[]),
            ("path:\"Old harbours\" path:x/", "", &[], &["Old harbours", "x/"], &[]),
            ("\"the ebb  and\" flow", "the ebb  and flow", &[], &[], &["the ebb  and"]),
            ("tag: path:\"\" \"\" 10:30 http://x a\"b", "tag: path:\"\" \"\" 10:30 http://x a\"b", &[], &[], &[]),
            ("\"open", "\"open", &[], &[], &[]),
            ("日本 tag:海", "日本", &["海"], &[], &[]),
        ] {
            let query = SearchQuery::parse(written, 1);
            assert_eq!(query.text, text, "{written}");
            assert_eq!(
                (&query.tags[..], &query.paths[..], &query.phrases[..]),
                (&strings(tags)[..], &strings(paths)[..], &strings(phrases)[..]),
                "{written}"
            );
        }
    }

    fn strings(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|part| (*part).to_owned()).collect()
    }
}
