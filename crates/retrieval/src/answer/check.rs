//! Whether a text answers a request, as far as a program can tell.

use std::collections::BTreeSet;

use graphloom_text::target_length;

use super::quote::{is_near_duplicate, term_set};
use super::request::{Request, UNANSWERED};
use crate::extract::{count_words, sentences, without_numbers};

/// Fewer words are no sentence that could be said twice.
const FEWEST_WORDS: usize = 4;

/// What a program finds in a text that answers a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// The sentences, without headings and lists of references.
    pub sentences: Vec<String>,
    /// Sentences that stood there before, in the same or nearly the same words.
    pub twice: Vec<String>,
    /// Headings below the title and sentences that only repeat the request.
    pub echoes: Vec<String>,
    /// Parts of the request that the text neither answers nor names as unanswered.
    pub passed_over: Vec<String>,
    /// Parts that it names as unanswered.
    pub named: Vec<String>,
}

impl Findings {
    /// Whether nothing is wrong that a program can see.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.twice.is_empty() && self.echoes.is_empty() && self.passed_over.is_empty()
    }
}

/// Looks at a text in Markdown that answers a request. What stands after a heading `References` or `Sources` is not looked at.
#[must_use]
pub fn check(request: &Request, text: &str) -> Findings {
    let mut findings = Findings::default();
    let asked = request.terms();
    let mut seen: Vec<BTreeSet<String>> = Vec::new();
    let mut body = String::new();
    let mut is_title = true;
    for line in text.lines() {
        let line = line.trim();
        if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim();
            if ends_the_text(heading) {
                break;
            }
            if !is_title && repeats(&asked, request, heading, true) {
                findings.echoes.push(heading.to_owned());
            }
            is_title = false;
            body.push_str(&format!("# {heading}\n"));
            continue;
        }
        if line.starts_with(UNANSWERED) || line.is_empty() || line.starts_with("```") {
            continue;
        }
        let line = without_marks(line);
        for range in sentences(&line) {
            let sentence = &line[range];
            // What ends with a colon names what follows.
            if count_words(sentence) < FEWEST_WORDS || sentence.ends_with([':', '：']) {
                continue;
            }
            let own = term_set(sentence, request.language());
            if repeats(&asked, request, sentence, false) {
                findings.echoes.push(sentence.to_owned());
            }
            if seen.iter().any(|other| is_near_duplicate(other, &own)) {
                findings.twice.push(sentence.to_owned());
            }
            seen.push(own);
            findings.sentences.push(sentence.to_owned());
        }
        body.push_str(&line);
        body.push('\n');
    }
    let line = text.lines().filter(|line| line.contains(UNANSWERED)).collect::<Vec<_>>().join(" ");
    for part in request.unanswered(&body) {
        let known = if line.contains(&format!("“{}”", part.text)) {
            &mut findings.named
        } else {
            &mut findings.passed_over
        };
        known.push(part.text.clone());
    }
    findings
}

/// Whether a heading or a question says what was asked and nothing else, or a sentence has the request in it.
fn repeats(asked: &BTreeSet<String>, request: &Request, line: &str, is_heading: bool) -> bool {
    let asks = is_heading || line.ends_with(['?', '？']);
    let same =
        asks && asked.len() > 2 && is_near_duplicate(&Request::in_language(line, request.language()).terms(), asked);
    same || line.to_lowercase().contains(&request.text().trim_end_matches(['.', '?', '!']).to_lowercase())
}

fn ends_the_text(heading: &str) -> bool {
    ["references", "reference articles", "sources", "参考文章"].iter().any(|name| heading.eq_ignore_ascii_case(name))
}

/// A line without citations, links and marks.
fn without_marks(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let line = without_numbers(&without_sources(&line.replace('\\', "")));
    let mut rest = line.trim_start_matches(['-', '*', '>', ' ']);
    while let Some(open) = rest.find('[') {
        out.push_str(&rest[..open]);
        let inner = rest[open..].trim_start_matches('[');
        let close = inner.find(']').unwrap_or(inner.len());
        let shown = &inner[..close];
        if shown.is_empty() || shown.contains(':') {
            out.truncate(out.trim_end().len());
        } else {
            out.push_str(shown.rsplit('|').next().unwrap_or(shown));
        }
        rest = inner[close..].trim_start_matches(']');
        rest = target_length(rest).map_or(rest, |length| &rest[length..]);
    }
    out.push_str(rest);
    out
}

/// A line without links in brackets behind a sentence, which say where it stands.
fn without_sources(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find(" ([[") {
        let is_behind = rest[..open].ends_with(['.', '!', '?', '。']);
        let close = rest[open..].find("]])").map(|close| open + close + "]])".len());
        let Some(close) = close.filter(|_| is_behind) else {
            let next = open + " ([[".len();
            out.push_str(&rest[..next]);
            rest = &rest[next..];
            continue;
        };
        out.push_str(&rest[..open]);
        rest = &rest[close..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_twice_repeated_or_passed_over_is_found() {
        let request = Request::of("What is the write-ahead log and when does a checkpoint run?");
        let text = "# What is the write-ahead log and when does a checkpoint run?\n\n## The log\n\n\
                    The write-ahead log holds every change before the database does [1].\n\n\
                    ## What is the write-ahead log, and when does a checkpoint run?\n\n\
                    The write-ahead log holds every change before the database does [2]. Pages are synced in order.\n\n\
                    ## References\n\n[1] The write-ahead log. docs/log.md\n";
        let findings = check(&request, text);
        assert_eq!(findings.sentences.len(), 3, "{findings:?}");
        assert_eq!(findings.twice, ["The write-ahead log holds every change before the database does."]);
        assert_eq!(findings.echoes, ["What is the write-ahead log, and when does a checkpoint run?"]);
        assert_eq!(findings.passed_over, ["checkpoint run"]);

        let named = "The write-ahead log holds every change before the database does.\n\n\
                     No sentence that was found plainly answers: “checkpoint run”.†\n";
        let findings = check(&request, named);
        assert!(findings.is_clean() && findings.named == ["checkpoint run"], "{findings:?}");
    }

    #[test]
    fn citations_and_links_are_no_words() {
        for (line, plain) in [
            ("- The log is first [1]. It is synced [2, 3].", "The log is first. It is synced."),
            ("- The log is synced. ([[Log|the log (of writes)]])", "The log is synced."),
            ("The log ([[Log|the log]]) is [first](https://a.example/x).", "The log (the log) is first."),
            ("The log is first [[1]](https://a.example).", "The log is first."),
            ("The log [is](https://a.example/x_(y)) first.", "The log is first."),
        ] {
            assert_eq!(without_marks(line), plain);
        }
    }
}
