//! The paragraphs of a long text that are about a question.

use super::best_sentences;

/// The paragraphs of `text` that are most about `query`, in their order, of at most `most` characters together.
#[must_use]
pub fn about(query: &str, text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut paragraphs: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for paragraph in text.split("\n\n") {
        paragraphs.push((at, paragraph));
        at += paragraph.len() + 2;
    }
    let mut chosen = vec![false; paragraphs.len()];
    let mut room = most;
    for sentence in best_sentences(query, text, 64) {
        let Some(place) = paragraphs.iter().rposition(|(start, _)| *start <= sentence.range.start) else { continue };
        let length = paragraphs[place].1.chars().count() + 2;
        if !chosen[place] && length <= room {
            chosen[place] = true;
            room -= length;
        }
    }
    let excerpts: Vec<&str> =
        paragraphs.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|((_, text), _)| *text).collect();
    if excerpts.is_empty() { text.chars().take(most).collect() } else { excerpts.join("\n\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_page_the_paragraphs_about_the_query_are_kept() {
        let filler = "Nothing of interest stands in this sentence about the weather.";
        let text =
            [vec![filler; 40], vec!["The log is flushed at every commit."], vec![filler; 40]].concat().join("\n\n");
        let excerpt = about("when is the log flushed", &text, 400);
        assert!(excerpt.contains("flushed at every commit") && excerpt.chars().count() <= 400, "{excerpt}");
        assert_eq!(about("x", "short", 400), "short");
        assert_eq!(about("log", &"x".repeat(900), 400).chars().count(), 400);
    }
}
