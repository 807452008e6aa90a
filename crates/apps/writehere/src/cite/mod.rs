//! Citations: from the marks in the text to a numbered list of references.
//!
//! While a text is made it cites evidence by id, as `[reference:ID]` or `[ref:ID]`. At the end [`resolve`] numbers the
//! sources in the order of their first appearance and lists them; [`verify`] checks a finished text.

mod folders;
mod marks;
mod resolve;
mod verify;

pub use marks::{cited_ids, mark, without_marks};
pub use resolve::resolve;
pub use verify::{CiteFault, verify};

pub(crate) use marks::whole_marks;

use std::fmt;

use graphloom_text::{Language, references_title};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The heading of the list in a text of a language.
///
/// ```
/// use graphloom_text::Language;
/// use graphloom_writehere::cite::heading;
///
/// assert_eq!(heading(Language::English), "## References");
/// ```
#[must_use]
pub fn heading(language: Language) -> String {
    format!("## {}", references_title(language))
}

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
    /// A bracketed number that was no citation was put in parentheses. Only runs of earlier versions have it.
    ForeignNumber {
        /// The number.
        number: String,
    },
    /// A bracketed number of the text itself was left as it stands, and no source was given this number.
    LeftNumber {
        /// The number.
        number: String,
    },
    /// The text ended inside of something, which was closed before the list of references.
    Closed {
        /// What was said of it.
        what: String,
    },
    /// Evidence that the text names in a form that is no citation, which was left.
    Unread {
        /// The id.
        id: String,
    },
}

impl fmt::Display for CiteEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { id } => write!(f, "the citation `{id}` names no evidence of this run and was removed"),
            Self::ForeignNumber { number } => {
                write!(f, "`[{number}]` is no citation of this run and became `({number})`")
            }
            Self::LeftNumber { number } => {
                write!(f, "`[{number}]` in the text is no citation; it was left, and no reference has this number")
            }
            Self::Closed { what } => f.write_str(what),
            Self::Unread { id } => {
                write!(
                    f,
                    "`{id}` stands in the text in a form that is no citation, such as [reference:{id}]; it was left"
                )
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use graphloom_retrieval::{Evidence, Source};
    use graphloom_test_support::draws;
    use graphloom_text::markdown::close;
    use proptest::prelude::*;

    use super::marks::{Part, split};
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
            ("As of [12] it holds [ref:db#1].", "As of [12] it holds [1].", vec![vec!["db#1"]]),
            ("Of x[1] and x[2] [ref:db#1].", "Of x[1] and x[2] [3].", vec![vec!["db#1"]]),
            (r"A \[reference:db#1\].", "A [1].", vec![vec!["db#1"]]),
            ("A [see][ref:db#1](b) [ref:db#1]: c", "A [see] [1] (b) [1]: c", vec![vec!["db#1"]]),
            ("[ref:db#1]: c", "[1] : c", vec![vec!["db#1"]]),
            (
                "- a\n    - [ref:no] b  \n  c [ref:no]  \n`[ref:no]` [ref:db#1]",
                "- a\n    - b  \n  c  \n`[ref:no]` [1]",
                vec![vec!["db#1"]],
            ),
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
    fn unknown_ids_go_and_numbers_of_the_text_stay() {
        let cited = resolve("A [ref:x#9] and [1] [ref:db#1].", &evidence());
        assert!(cited.text.starts_with("A and [1] [2]."), "{}", cited.text);
        assert_eq!(
            cited.events,
            [CiteEvent::Unknown { id: "x#9".into() }, CiteEvent::LeftNumber { number: "1".into() }]
        );
        let plain = resolve("A [Ref: Smith 2020], [ref:] and [7].", &evidence());
        assert_eq!((plain.text.as_str(), plain.events.len()), ("A [Ref: Smith 2020], [ref:] and [7].", 0));
    }

    #[test]
    fn the_list_does_not_fall_into_code_that_was_cut_off() {
        let cited = resolve("A [ref:db#1].\n\n```c\nx[0]", &evidence());
        assert!(cited.text.contains("```c\nx[0]\n```\n\n## References"), "{}", cited.text);
    }

    #[test]
    fn what_stands_behind_a_removed_mark_becomes_no_code() {
        for (text, body) in [
            ("[ref:no]\n    [ref:wal#1]", "\n[1]"),
            ("[ref:wal#1]\n[ref:wal#1]\n    [ref:db#1]", "[1]\n\n[2]"),
            ("A\n[ref:no]\r\n\tb [ref:db#1].", "A\n\r\nb [1]."),
            ("[ref:no]:`[ref:wal#1]`, [ref:db#1].", ":`[ref:wal#1]`, [1]."),
            ("[ref:no]\n\n    x[0]\n\nA [ref:db#1].", "\n\n    x[0]\n\nA [1]."),
        ] {
            let cited = resolve(text, &evidence());
            assert_eq!(cited.text.split("\n\n## References").next(), Some(body), "{text:?}");
            assert_eq!(verify(&cited.text), [], "{text:?}");
        }
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
        let text = "A [1], b x[3], c [reference:x].\n\n## References\n\n[1] One.\n\n[2] Two.";
        assert_eq!(verify(text), [CiteFault::Unnumbered { id: "x".into() }, CiteFault::Uncited { number: "2".into() }]);
    }

    /// What stands before the list of references of a text that was made of another.
    fn body_of<'c>(cited: &'c str, text: &str) -> &'c str {
        let list = format!("\n\n{}\n", heading(Language::detect(&without_marks(text))));
        cited.split(&list).next().unwrap_or_default()
    }

    /// Pieces of technical writing that a careless pass over the text would change.
    fn technical() -> impl Strategy<Value = String> {
        let fixed = prop::sample::select(vec![
            " .NET",
            " .bashrc , x",
            "x[0]",
            "y[12] , z",
            "[2024]",
            "`a[1] . b`",
            "`` a ` b[2] ``",
            "line  \nnext",
            "\n\n```rust\nlet x = y[1] ;\n```\n\n",
            "\n\n    code[3] ; more\n\n",
            "\n\n| a [1] | b . |\n|---|:-:|\n| `x[0]` | y |\n\n",
            "$x[0] , y_{1}$",
            "$$\na[1] .\n$$",
            "[link](http://a.b/c[1])",
            "[1]: http://x",
            "[^1]",
            "\\[1\\]",
            "<b>[1] .</b>",
            "- [ ] todo\n- [x] done",
            "\t\ttabs ;",
            "`[ref:in#1]`",
            "~~~\n",
            "...",
            " ; ",
            "\r\n",
            "**[3]**",
            "日本 。 語[4]",
            "\u{a0}.",
            "[[wiki]]",
        ]);
        prop_oneof![fixed.prop_map(str::to_string), "\\PC{0,12}", "[ \\[\\].,;`~\\n0-9a-z#|$]{0,16}"]
    }

    /// A mark of these ids in a drawn spelling.
    fn spelled() -> impl Strategy<Value = (String, Vec<&'static str>)> {
        let bracket = prop::sample::select(vec![
            ("[", "]"),
            ("【", "】"),
            ("［", "］"),
            ("(", ")"),
            ("（", "）"),
            ("\\[", "\\]"),
            ("[[", "]]"),
        ]);
        let word = prop::sample::select(vec!["reference", "Reference", "ref", "references", "REF"]);
        let colon = prop::sample::select(vec![":", ": ", "：", " : "]);
        let gap = prop::sample::select(vec![",", ", ", "; ", "，", ", ref:", "; Reference: "]);
        let ids = prop::collection::vec(prop::sample::select(vec!["wal#1", "wal#2", "db#1"]), 1..4);
        (bracket, word, colon, gap, ids).prop_map(|((open, close), word, colon, gap, ids)| {
            (format!("{open}{word}{colon}{}{close}", ids.join(gap)), ids)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: draws(), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn drawn_spellings_are_citations_in_text_and_stay_in_code(marks in prop::collection::vec((spelled(), 0_u8..5), 1..6)) {
            let (mut text, mut expected) = (String::new(), String::new());
            let mut known: Vec<&str> = Vec::new();
            let mut number = |ids: &[&'static str]| {
                let mut numbers: Vec<usize> = Vec::new();
                for id in ids {
                    let source = id.split('#').next().unwrap();
                    let at = known.iter().position(|one| *one == source).unwrap_or_else(|| {
                        known.push(source);
                        known.len() - 1
                    });
                    if numbers.last() != Some(&(at + 1)) {
                        numbers.push(at + 1);
                    }
                }
                numbers.iter().map(|number| format!("[{number}]")).collect::<String>()
            };
            for ((mark, ids), place) in &marks {
                let (before, behind) = [("It is so ", "."), ("> So ", " too"), ("`", "`"), ("```\n", "\n```"), ("~~~~\n```\n", "\n~~~~")][usize::from(*place)];
                let read = if *place < 2 { number(ids) } else { mark.clone() };
                text.push_str(&format!("{before}{mark}{behind}\n\nNext.\n\n"));
                expected.push_str(&format!("{before}{read}{behind}\n\nNext.\n\n"));
            }
            let cited = resolve(&text, &evidence());
            let body = body_of(&cited.text, &text);
            prop_assert_eq!(body.trim_end(), expected.trim_end());
            prop_assert_eq!(verify(&cited.text), []);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn a_text_without_marks_is_left_byte_by_byte(parts in prop::collection::vec(technical(), 0..12)) {
            let text = parts.concat();
            prop_assume!(cited_ids(&text).is_empty());
            let cited = resolve(&text, &evidence());
            prop_assert_eq!(&cited.text, &text);
            prop_assert_eq!((cited.references.len(), cited.events.len()), (0, 0));
        }

        #[test]
        fn a_text_changes_at_its_marks_only(
            parts in prop::collection::vec((technical(), prop::option::of(prop::sample::select(vec!["wal#1", "wal#2", "db#1", "no#0"]))), 0..12),
        ) {
            // Each piece is a paragraph of its own; a mark stands at the end of one that ends outside of code.
            let mut text = String::new();
            for (piece, id) in &parts {
                text.push_str(piece);
                text.push_str("\n\n");
                if let Some(id) = id {
                    text.push_str(&format!("Word [ref:{id}] , more.\n\n"));
                }
            }
            let cited = resolve(&text, &evidence());
            let body = body_of(&cited.text, &text);
            let marked = cited_ids(&text);
            let own: Vec<String> = cited.references.iter().map(|reference| format!(" [{}]", reference.number)).collect();
            // A piece that opens code takes the marks after it along: they are code, and stay.
            let expected = split(&text).into_iter().fold(String::new(), |mut all, part| {
                match part {
                    Part::Text(text) | Part::Number(text) => all.push_str(text),
                    Part::Mark(_) if all.ends_with(' ') => all.truncate(all.len() - 1),
                    Part::Mark(_) => {}
                }
                all
            });
            let mut found = body.to_string();
            for citation in &own {
                // The text has no such number in brackets outside of code, and in code none after a word and a blank.
                found = found.replace(&format!("Word{citation}"), "Word");
            }
            // What the text leaves open is closed before the list.
            let expected = if cited.references.is_empty() { expected } else { close(expected.trim_end()).text };
            prop_assert_eq!(found, expected);
            prop_assert_eq!(cited.references.is_empty(), !marked.iter().any(|id| evidence().iter().any(|found| found.id == *id)));
            prop_assert_eq!(verify(&cited.text), []);
        }

        #[test]
        fn whatever_is_written_resolves(parts in prop::collection::vec("(\\PC{0,6}|\\[ref:(wal#1|wal#2|db#1|no)\\]|\\[[0-9]{1,3}\\]|\n| )", 0..30)) {
            let cited = resolve(&parts.concat(), &evidence());
            prop_assert_eq!(verify(&cited.text), []);
        }
    }
}
