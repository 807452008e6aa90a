//! Ids of works: a name to read and digits from what identifies the work.

use super::text::{ascii_words, folded};
use super::{Author, Record};

/// The name in an id is at most this long.
const NAME_LENGTH: usize = 32;

/// Words that begin many titles. Ids stay as they are, so this list does, too.
const EMPTY_WORDS: &[&str] =
    &["a", "an", "the", "on", "of", "in", "for", "to", "and", "towards", "toward", "from", "with"];

/// First author and first word of the title, `#`, and eight hexadecimal digits of the strongest identifier.
pub(crate) fn record_id(record: &Record) -> String {
    let identity = identity(record);
    let digits = &blake3::hash(identity.as_bytes()).to_hex()[..8];
    let mut name = family_word(record);
    if let Some(word) = title_word(record) {
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(&word);
    }
    name.truncate(NAME_LENGTH);
    let name = name.trim_end_matches('-');
    format!("{}#{digits}", if name.is_empty() { "work" } else { name })
}

/// The family name of the first author as one ASCII word; empty when there is none.
pub(crate) fn family_word(record: &Record) -> String {
    let short = record.authors.first().map(Author::short).unwrap_or_default();
    ascii_words(short).concat().chars().take(20).collect()
}

/// The first word of the title that says something, in ASCII.
pub(crate) fn title_word(record: &Record) -> Option<String> {
    let words = ascii_words(&record.title);
    let has_letter = |word: &str| word.chars().any(|c| c.is_ascii_alphabetic());
    let telling = words.iter().find(|word| has_letter(word) && !EMPTY_WORDS.contains(&word.as_str()));
    telling.or_else(|| words.first()).map(|word| word.chars().take(20).collect())
}

fn identity(record: &Record) -> String {
    if let Some(arxiv) = record.doi.as_ref().and_then(super::Doi::arxiv) {
        return format!("arxiv:{arxiv}");
    }
    if let Some(doi) = &record.doi {
        return format!("doi:{doi}");
    }
    if let Some(arxiv) = &record.arxiv {
        return format!("arxiv:{arxiv}");
    }
    if let Some(pmid) = record.pmid {
        return format!("pmid:{pmid}");
    }
    let author = record.authors.first().map(|author| folded(author.short())).unwrap_or_default();
    format!("title:{}\n{author}\n{}", folded(&record.title), record.year.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::{ArxivId, Doi};
    use super::*;

    fn record(author: &str, title: &str) -> Record {
        let mut record = Record::new(title);
        record.authors.extend(Author::displayed(author));
        record
    }

    #[test]
    fn the_name_is_of_author_and_title() {
        for (author, title, name) in [
            ("Jürgen Müller", "The Graphs: a survey", "muller-graphs"),
            ("山田太郎", "図書館", "work"),
            ("", "On the", "on"),
            ("Ann O'Neil", "!", "oneil"),
            ("A Verylongfamilynamethatdoesnotend", "Incomprehensibilities", "verylongfamilynameth-incomprehe"),
        ] {
            let id = record_id(&record(author, title));
            let (found, digits) = id.split_once('#').unwrap();
            assert!(found.starts_with(name) && found.len() <= NAME_LENGTH, "{id}");
            assert_eq!(digits.len(), 8);
        }
    }

    #[test]
    fn the_digits_are_of_the_strongest_identifier() {
        let digits = |record: &Record| record_id(record).split_once('#').unwrap().1.to_owned();
        let mut one = record("Ann Lee", "Walks");
        let bare = digits(&one);
        one.arxiv = ArxivId::parse("1605.08386");
        let preprint = digits(&one);
        assert_ne!(bare, preprint);
        one.doi = Doi::parse("10.48550/arXiv.1605.08386");
        assert_eq!(digits(&one), preprint, "arXiv's own DOI says the same as its id");
        one.doi = Doi::parse("10.1000/182");
        let published = digits(&one);
        one.title = "Walks, revised".into();
        assert_eq!(digits(&one), published);
    }
}
