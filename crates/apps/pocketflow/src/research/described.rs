//! Who wrote a document of one's own, and when, as the document itself says: in the lines between `---` that a Markdown
//! file begins with, or in the `meta` tags of a page. What it does not say stays open.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use graphloom_retrieval::literature::Author;

/// As much of a file as is looked at; what describes a document stands at its head.
const HEAD: u64 = 64 * 1024;
/// Names of a page's `meta` tags, and keys of a Markdown file's head.
const AUTHOR: &[&str] = &["author", "authors", "creator", "dc.creator", "dcterms.creator", "citation_author"];
const DATE: &[&str] = &[
    "date",
    "year",
    "published",
    "issued",
    "dc.date",
    "dcterms.date",
    "dcterms.issued",
    "citation_date",
    "citation_year",
    "citation_publication_date",
    "article:published_time",
];

/// What a document says of itself.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Described {
    pub(super) authors: Vec<Author>,
    pub(super) year: Option<u16>,
}

/// Reads the head of a file. One that cannot be read says nothing.
pub(super) fn of_file(file: &Path) -> Described {
    let mut bytes = Vec::new();
    if File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut bytes)).is_err() {
        return Described::default();
    }
    of_text(&String::from_utf8_lossy(&bytes))
}

fn of_text(text: &str) -> Described {
    let text = text.trim_start_matches('\u{feff}');
    let fields = front_matter(text).unwrap_or_else(|| meta_tags(text));
    let mut described = Described::default();
    for (name, value) in fields {
        if AUTHOR.contains(&name.as_str()) {
            // A comma may stand inside of a name.
            let names = value.split(';').flat_map(|names| names.split(" and "));
            described.authors.extend(names.filter_map(|name| Author::displayed(name.trim())));
        } else if DATE.contains(&name.as_str()) {
            described.year = described.year.or_else(|| year(&value));
        }
    }
    described
}

/// The first four digits that are a year.
fn year(text: &str) -> Option<u16> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).find(|digits| digits.len() == 4)?;
    digits.parse().ok().filter(|year| (1000..=2999).contains(year))
}

/// Keys and values of the lines that a Markdown file begins with; of a list each item.
fn front_matter(text: &str) -> Option<Vec<(String, String)>> {
    let mut lines = text.lines();
    (lines.next()?.trim_end() == "---").then_some(())?;
    let (mut fields, mut key, mut closed) = (Vec::new(), String::new(), false);
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            closed = true;
            break;
        }
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            let item = item.trim();
            let name = item.strip_prefix("name:").unwrap_or(item);
            fields.push((key.clone(), unquoted(name)));
        } else if let Some((name, value)) = line.split_once(':').filter(|_| !line.starts_with(char::is_whitespace)) {
            key = name.trim().to_lowercase();
            let value = value.trim();
            match value.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
                Some(list) => fields.extend(list.split(',').map(|item| (key.clone(), unquoted(item)))),
                None => fields.push((key.clone(), unquoted(value))),
            }
        }
    }
    closed.then_some(fields)
}

fn unquoted(value: &str) -> String {
    let value = value.trim();
    let inside = |mark| value.strip_prefix(mark).and_then(|value: &str| value.strip_suffix(mark));
    inside('"').or_else(|| inside('\'')).unwrap_or(value).to_owned()
}

/// Names and contents of the `meta` tags of a page.
fn meta_tags(text: &str) -> Vec<(String, String)> {
    let lower = text.to_ascii_lowercase();
    let mut fields = Vec::new();
    for (at, _) in lower.match_indices("<meta") {
        let Some(length) = lower[at..].find('>') else { break };
        let tag = &text[at..at + length];
        let name = attribute(tag, "name").or_else(|| attribute(tag, "property"));
        if let (Some(name), Some(content)) = (name, attribute(tag, "content")) {
            fields.push((name.to_lowercase(), content));
        }
    }
    fields
}

/// The value of an attribute, which stands in quotation marks.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let (at, _) = lower
        .match_indices(&format!("{name}="))
        .find(|(at, _)| lower[..*at].ends_with(|c: char| c.is_ascii_whitespace()))?;
    let value = &tag[at + name.len() + 1..];
    let mark = value.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let inside = value[1..].split(mark).next()?;
    let plain = [("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    Some(plain.iter().fold(inside.to_owned(), |text, (name, meant)| text.replace(name, meant)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_documents_say_of_themselves() {
        for (text, names, year) in [
            ("---\ntitle: Tides\nauthor: Ann Lee\ndate: 2021-03-04\n---\n# Tides\n", vec!["Ann Lee"], Some(2021)),
            ("---\nauthors: [Ann Lee, \"Bob Roe\"]\nyear: 2019\n---\n", vec!["Ann Lee", "Bob Roe"], Some(2019)),
            ("---\nauthors:\n  - name: Ann Lee\n  - Bob Roe\n...\n", vec!["Ann Lee", "Bob Roe"], None),
            ("---\nauthor: Ann Lee and Bob Roe; Eve Poe\n---\n", vec!["Ann Lee", "Bob Roe", "Eve Poe"], None),
            (
                "<html><META content='Ann &amp; Lee' name=author><meta name=\"Author\" content=\"Ann Lee\">\
                 <meta property=\"article:published_time\" content=\"2020-01-02T03:04:05Z\">",
                vec!["Ann Lee"],
                Some(2020),
            ),
            ("---\nauthor: Ann Lee\nno end", vec![], None),
            ("# Tides\nauthor: Ann Lee, 2021\n", vec![], None),
            ("<meta name=\"author\"", vec![], None),
            ("---\nyear: soon\ndate: 12\n---\n", vec![], None),
            ("", vec![], None),
        ] {
            let described = of_text(text);
            let found: Vec<&str> = described.authors.iter().map(|author| author.name.as_str()).collect();
            assert_eq!((found, described.year), (names, year), "{text}");
        }
        assert_eq!(of_file(Path::new("no such file")), Described::default());
    }
}
