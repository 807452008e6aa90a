//! Citations: from the marks in the text to a numbered list of references.
//!
//! While a text is made it cites evidence by id, as `[reference:ID]` or `[ref:ID]`. At the end [`resolve`] numbers the
//! sources in the order of their first appearance and lists them; [`verify`] checks a finished text.

mod marks;
mod verify;

pub use marks::{cited_ids, mark, without_marks};
pub use verify::{CiteFault, verify};

use std::collections::BTreeMap;
use std::fmt;

use graphloom_retrieval::Evidence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use marks::{Part, split};

/// The heading of the list.
pub const HEADING: &str = "## References";

/// A text with numbered citations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Cited {
    /// The text with its list of references, if it has any.
    pub text: String,
    /// The sources in the order of their numbers.
    pub references: Vec<Reference>,
    /// What had to be changed.
    pub events: Vec<CiteEvent>,
}

/// A numbered source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Reference {
    /// Its number, from 1.
    pub number: usize,
    /// The ids of the evidence from it, in the order of appearance.
    pub evidence: Vec<String>,
    /// The title of the source.
    pub title: String,
    /// The source and the places in it.
    pub places: Vec<String>,
}

/// A change that was made to citations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CiteEvent {
    /// A citation of unknown evidence was removed.
    Unknown {
        /// The id.
        id: String,
    },
    /// A bracketed number that was no citation was put in parentheses.
    ForeignNumber {
        /// The number.
        number: String,
    },
}

impl fmt::Display for CiteEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { id } => write!(f, "the citation `{id}` names no evidence of this run and was removed"),
            Self::ForeignNumber { number } => {
                write!(f, "`[{number}]` is no citation of this run and became `({number})`")
            }
        }
    }
}

/// Numbers the citations of a text. Evidence of one source gets one number; the same number twice in a row is written
/// once; unknown ids are removed with an event.
///
/// ```
/// use graphloom_retrieval::{Evidence, Source};
/// use graphloom_writehere::cite::{resolve, verify};
///
/// let source = Source::Local { root: "docs".into(), path: "wal.md".into() };
/// let evidence = [Evidence::new("wal#1", source, "The log", "Pages go to the log first.")];
/// let cited = resolve("Pages go to the log first [reference:wal#1].", evidence.iter());
/// assert!(cited.text.starts_with("Pages go to the log first [1]."));
/// assert!(cited.text.ends_with("## References\n\n[1] The log. docs/wal.md"));
/// assert!(verify(&cited.text).is_empty());
/// ```
pub fn resolve<'e>(text: &str, evidence: impl IntoIterator<Item = &'e Evidence>) -> Cited {
    let known: BTreeMap<&str, &Evidence> = evidence.into_iter().map(|e| (e.id.as_str(), e)).collect();
    let mut cited = Cited::default();
    let mut out = String::with_capacity(text.len());
    let mut last_number = None;
    let mut removed = false;
    for part in split(text) {
        match part {
            Part::Text(text) => {
                if !text.trim().is_empty() {
                    last_number = None;
                }
                if std::mem::take(&mut removed) && text.starts_with(char::is_whitespace) {
                    out.truncate(out.trim_end_matches(' ').len());
                }
                // A number followed by a parenthesis would be a link.
                out.push_str(if out.ends_with(']') && text.starts_with('(') { " " } else { "" });
                out.push_str(text);
            }
            Part::Number(number) => {
                last_number = None;
                cited.events.push(CiteEvent::ForeignNumber { number: number.to_string() });
                out.push_str(if out.ends_with(']') { " (" } else { "(" });
                out.push_str(number);
                out.push(')');
            }
            Part::Mark(ids) => {
                for id in ids {
                    let Some(evidence) = known.get(id.as_str()) else {
                        cited.events.push(CiteEvent::Unknown { id });
                        removed = true;
                        continue;
                    };
                    let number = number_of(&mut cited.references, evidence);
                    if last_number != Some(number) {
                        let glued = out
                            .chars()
                            .next_back()
                            .is_some_and(|c| !c.is_whitespace() && !matches!(c, ']' | '(' | '['));
                        out.push_str(if glued { " " } else { "" });
                        out.push_str(&format!("[{number}]"));
                    } else {
                        out.truncate(out.trim_end_matches(' ').len());
                    }
                    last_number = Some(number);
                }
            }
        }
    }
    cited.text = tidy(&out);
    if !cited.references.is_empty() {
        cited.text.truncate(cited.text.trim_end().len());
        cited.text.push_str("\n\n");
        cited.text.push_str(HEADING);
        for reference in &cited.references {
            cited.text.push_str(&format!("\n\n[{}] {}", reference.number, reference));
        }
    }
    cited
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = self.title.trim().trim_end_matches('.');
        if !title.is_empty() {
            write!(f, "{title}. ")?;
        }
        f.write_str(&self.places.join("; "))
    }
}

fn number_of(references: &mut Vec<Reference>, evidence: &Evidence) -> usize {
    let source = evidence.source.to_string();
    let place = evidence.place();
    let place =
        place.strip_prefix(&source).map_or(place.clone(), |rest| rest.trim_start_matches([',', ' ']).to_string());
    let found = references.iter().position(|r| r.places.first() == Some(&source));
    let at = found.unwrap_or_else(|| {
        references.push(Reference {
            number: references.len() + 1,
            evidence: Vec::new(),
            title: evidence.title.clone(),
            places: vec![source],
        });
        references.len() - 1
    });
    let reference = &mut references[at];
    if !reference.evidence.contains(&evidence.id) {
        reference.evidence.push(evidence.id.clone());
    }
    if !place.is_empty() && !reference.places.contains(&place) {
        reference.places.push(place);
    }
    reference.number
}

/// Takes away the space that removed marks leave before punctuation and at the end of lines.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let body = line.trim_end_matches(' ');
        let mut previous_space = false;
        for c in body.chars() {
            if previous_space
                && matches!(c, '.' | ',' | ';')
                && out.ends_with(' ')
                && !out.trim_end_matches(' ').ends_with('\n')
            {
                out.truncate(out.trim_end_matches(' ').len());
            }
            previous_space = c == ' ';
            out.push(c);
        }
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    use graphloom_retrieval::Source;
    use proptest::prelude::*;

    use super::*;

    fn evidence() -> Vec<Evidence> {
        let source = |path: &str| Source::Local { root: "docs".into(), path: path.into() };
        vec![
            Evidence::new("wal#1", source("wal.md"), "The log.", "a"),
            Evidence::new("wal#2", source("wal.md"), "The log.", "b"),
            Evidence::new("db#1", source("db.md"), "The file", "c"),
        ]
    }

    #[test]
    fn citations_are_numbered_by_first_appearance() {
        for (text, body, ids) in [
            ("A [reference:db#1]. B [ref:wal#1].", "A [1]. B [2].", vec![vec!["db#1"], vec!["wal#1"]]),
            ("A [reference:wal#1][reference:wal#2].", "A [1].", vec![vec!["wal#1", "wal#2"]]),
            ("A [ref:wal#1] [ref:wal#1] b [ref:wal#1].", "A [1] b [1].", vec![vec!["wal#1"]]),
            ("A[ref: wal#1, db#1].", "A [1][2].", vec![vec!["wal#1"], vec!["db#1"]]),
            ("A [ref:none#0]. B [ref:db#1].", "A. B [1].", vec![vec!["db#1"]]),
            ("As of [12] it holds [ref:db#1].", "As of (12) it holds [1].", vec![vec!["db#1"]]),
            ("A [link](x) and [3](y) [Reference：db#1]", "A [link](x) and [3](y) [1]", vec![vec!["db#1"]]),
        ] {
            let cited = resolve(text, &evidence());
            assert_eq!(cited.text.split("\n\n## References").next().unwrap(), body, "{text}");
            let found: Vec<Vec<&str>> =
                cited.references.iter().map(|r| r.evidence.iter().map(String::as_str).collect()).collect();
            assert_eq!(found, ids, "{text}");
            assert_eq!(verify(&cited.text), [], "{text}");
        }
    }

    #[test]
    fn unknown_ids_and_foreign_numbers_are_events() {
        let cited = resolve("A [ref:x#9] and [7].", &evidence());
        assert_eq!(cited.text, "A and (7).");
        assert_eq!(
            cited.events,
            [CiteEvent::Unknown { id: "x#9".into() }, CiteEvent::ForeignNumber { number: "7".into() }]
        );
    }

    #[test]
    fn the_list_names_title_and_place_once() {
        let cited = resolve("A [ref:wal#1]. B [ref:wal#2]. C [ref:db#1].", &evidence());
        assert!(
            cited.text.ends_with("## References\n\n[1] The log. docs/wal.md\n\n[2] The file. docs/db.md"),
            "{}",
            cited.text
        );
    }

    #[test]
    fn faults_of_a_finished_text_are_found() {
        let text = "A [1], b [3], c [reference:x].\n\n## References\n\n[1] One.\n\n[2] Two.";
        assert_eq!(
            verify(text),
            [
                CiteFault::Unresolved { number: "3".into() },
                CiteFault::Unnumbered { id: "x".into() },
                CiteFault::Uncited { number: "2".into() },
            ]
        );
    }

    proptest! {
        #[test]
        fn whatever_is_written_resolves(parts in prop::collection::vec("(\\PC{0,6}|\\[ref:(wal#1|wal#2|db#1|no)\\]|\\[[0-9]{1,3}\\]|\n| )", 0..30)) {
            let cited = resolve(&parts.concat(), &evidence());
            prop_assert_eq!(verify(&cited.text), []);
        }
    }
}
