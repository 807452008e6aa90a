//! What is asked, in words that no source's syntax has touched.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::text::one_line;
use crate::RetrievalError;

/// The most records that one question can ask of one source; all three give as many in one page.
pub const MOST_RECORDS: u32 = 100;

/// More words than this make an address that sources refuse.
const MOST_WORDS: usize = 40;

/// Years of publication, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Years {
    /// The first year; open when `None`.
    pub from: Option<u16>,
    /// The last year; open when `None`.
    pub to: Option<u16>,
}

/// A question to every source: all terms, and of every group at least one alternative.
///
/// ```
/// use graphloom_retrieval::literature::Query;
///
/// # fn main() -> Result<(), graphloom_retrieval::RetrievalError> {
/// let query = Query::parse("tutoring \"language models\"")?.any_of(["school", "higher education"]).since(2023).limit(20);
/// assert_eq!(query.to_string(), "tutoring \"language models\" (school | \"higher education\") 2023-");
/// # Ok(())
/// # }
/// ```
///
/// OpenAlex and arXiv are asked with the operators; Crossref knows none and ranks by the words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Query {
    /// Words and phrases that a work should have; one with a space is a phrase.
    pub terms: Vec<String>,
    /// Alternatives, such as synonyms: a work should have one of each group.
    #[serde(default)]
    pub groups: Vec<Vec<String>>,
    /// When the work was published.
    #[serde(default)]
    pub years: Years,
    /// The most records of each source: 20 unless set, from 1 to [`MOST_RECORDS`].
    pub limit: u32,
}

impl Query {
    /// Reads plain words; what stands in quotation marks is a phrase. Everything else that a source might take for
    /// syntax is punctuation here.
    ///
    /// # Errors
    /// [`RetrievalError::NoWords`] when there is neither a letter nor a digit.
    pub fn parse(text: &str) -> Result<Self, RetrievalError> {
        let mut terms = Vec::new();
        let even = text.replace(['“', '”', '„', '«', '»'], "\"");
        for (index, part) in even.split('"').enumerate() {
            if index % 2 == 1 {
                terms.extend(cleaned(part));
            } else {
                terms.extend(part.split_whitespace().filter_map(cleaned));
            }
        }
        Self::of(terms, text)
    }

    /// A question of words and phrases.
    ///
    /// # Errors
    /// [`RetrievalError::NoWords`] when there is neither a letter nor a digit.
    pub fn new<T: AsRef<str>>(terms: impl IntoIterator<Item = T>) -> Result<Self, RetrievalError> {
        let terms: Vec<String> = terms.into_iter().map(|term| term.as_ref().to_owned()).collect();
        let given = terms.join(" ");
        Self::of(terms.iter().filter_map(|term| cleaned(term)).collect(), &given)
    }

    fn of(terms: Vec<String>, given: &str) -> Result<Self, RetrievalError> {
        let mut seen = std::collections::BTreeSet::new();
        let mut words = 0;
        let terms: Vec<String> = terms
            .into_iter()
            .filter(|term| seen.insert(term.to_lowercase()))
            .take_while(|term| {
                words += term.split(' ').count();
                words <= MOST_WORDS
            })
            .collect();
        if terms.is_empty() {
            return Err(RetrievalError::NoWords { query: super::text::shortened(given, 60) });
        }
        Ok(Self { terms, groups: Vec::new(), years: Years::default(), limit: 20 })
    }

    /// Also asks for one of these words or phrases. A group without any letter changes nothing.
    #[must_use]
    pub fn any_of<T: AsRef<str>>(mut self, alternatives: impl IntoIterator<Item = T>) -> Self {
        let group: Vec<String> = alternatives.into_iter().filter_map(|one| cleaned(one.as_ref())).take(8).collect();
        if !group.is_empty() && self.groups.len() < 4 {
            self.groups.push(group);
        }
        self
    }

    /// Only works of this year or later.
    #[must_use]
    pub fn since(mut self, year: u16) -> Self {
        self.years.from = Some(year);
        self
    }

    /// Only works of this year or earlier.
    #[must_use]
    pub fn until(mut self, year: u16) -> Self {
        self.years.to = Some(year);
        self
    }

    /// The most records of each source, from 1 to [`MOST_RECORDS`].
    #[must_use]
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit.clamp(1, MOST_RECORDS);
        self
    }
}

/// A term without what a source could read as an operator. `None` when nothing remains.
pub(crate) fn cleaned(term: &str) -> Option<String> {
    let plain: String =
        one_line(term)
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '.' | '+' | '#' | '/' | '_') {
                    c
                } else {
                    ' '
                }
            })
            .collect();
    let words: Vec<&str> = plain
        .split(' ')
        .map(|word| {
            word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#'))).trim_start_matches(['+', '#'])
        })
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(|word| if word.len() > 100 { "" } else { word })
        .filter(|word| !word.is_empty())
        .take(12)
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |term: &String| if term.contains(' ') { format!("\"{term}\"") } else { term.clone() };
        let terms: Vec<String> = self.terms.iter().map(quoted).collect();
        f.write_str(&terms.join(" "))?;
        for group in &self.groups {
            write!(f, " ({})", group.iter().map(quoted).collect::<Vec<_>>().join(" | "))?;
        }
        match (self.years.from, self.years.to) {
            (None, None) => Ok(()),
            (from, to) => {
                let year = |year: Option<u16>| year.map_or_else(String::new, |year| year.to_string());
                write!(f, " {}-{}", year(from), year(to))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_phrases_are_read_and_syntax_is_not() {
        for (text, shown) in [
            ("graph  neural networks", "graph neural networks"),
            ("\"state graphs\" for llm", "\"state graphs\" for llm"),
            ("“curly quotes” too", "\"curly quotes\" too"),
            ("(a OR b) AND ti:x* [1 TO 2]~", "a OR b AND \"ti x\" 1 TO 2"),
            ("unclosed \"phrase here", "unclosed \"phrase here\""),
            ("C++ and C# state-of-the-art, don't", "C++ and C# state-of-the-art don't"),
            ("Graph graph GRAPH", "Graph"),
            ("図書館 検索", "図書館 検索"),
        ] {
            assert_eq!(Query::parse(text).unwrap().to_string(), shown, "{text}");
        }
        for nothing in ["", " \n", "\"\" () --- ?!", "\u{200b}"] {
            assert!(matches!(Query::parse(nothing), Err(RetrievalError::NoWords { .. })), "{nothing:?}");
        }
    }

    #[test]
    fn a_question_has_bounds() {
        let many = Query::parse(&"word ".repeat(3)).unwrap();
        assert_eq!(many.terms.len(), 1);
        let text: String = (0..100_000).map(|n| format!("w{n} ")).collect();
        assert_eq!(Query::parse(&text).unwrap().terms.len(), MOST_WORDS);
        assert_eq!(many.clone().limit(0).limit, 1);
        assert_eq!(many.limit(9999).limit, MOST_RECORDS);
    }
}
