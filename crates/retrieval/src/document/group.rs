//! From units of text to passages that tile the source.

use std::ops::Range;

use graphloom_text::sentences;

use super::Passage;
use crate::Locator;

/// Sentences are looked for in so many bytes at a time: what it takes to find them grows with the square of a text in which
/// few letters follow full stops, as in tables of numbers.
const STRETCH: usize = 8 * 1024;

/// The smallest piece a format knows: a paragraph, a list item, a table row, a block of code.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Where in the source this unit begins, headings and markers before it included.
    pub(super) lead: usize,
    /// The readable text.
    pub(super) text: String,
    /// Which source bytes the text was made of, in order: offset in the text, source range.
    pub(super) origins: Vec<(usize, Range<usize>)>,
    /// The number of the section; units of different sections never share a passage.
    pub(super) section: usize,
    /// Whether the unit follows the one before it without a blank line.
    pub(super) tight: bool,
}

impl Unit {
    /// Which origins stand in the text as they are in the source.
    fn verbatim(&self, source: &str) -> Vec<bool> {
        let same = |(start, range): &(usize, Range<usize>)| {
            self.text.get(*start..*start + range.len()) == source.get(range.clone())
        };
        self.origins.iter().map(same).collect()
    }

    /// Where in the source the byte `at` of the text comes from; the beginning of its origin where text was rewritten.
    fn source_of(&self, verbatim: &[bool], at: usize) -> usize {
        let index = self.origins.partition_point(|(start, _)| *start <= at);
        let Some(index) = index.checked_sub(1) else { return self.lead };
        let (start, range) = &self.origins[index];
        match index {
            _ if verbatim[index] && at - start < range.len() => range.start + (at - start),
            0 => self.lead,
            _ => range.start,
        }
    }

    /// Cuts a unit longer than `most` bytes at ends of sentences, or inside one where nothing else is left.
    fn split(self, source: &str, size: usize, most: usize) -> Vec<Self> {
        if self.text.len() <= most {
            return vec![self];
        }
        let mut cuts = vec![0];
        let mut start = 0;
        for sentence in sentences_in_stretches(&self.text) {
            if sentence.end - start > size && sentence.start > start {
                start = sentence.start;
                cuts.push(start);
            }
            while sentence.end - start > most {
                start = cut_before(&self.text, start, start + size);
                cuts.push(start);
            }
        }
        cuts.push(self.text.len());
        let verbatim = self.verbatim(source);
        let piece = |pair: &[usize]| Self {
            lead: if pair[0] == 0 { self.lead } else { self.source_of(&verbatim, pair[0]) },
            text: self.text[pair[0]..pair[1]].trim().to_owned(),
            origins: Vec::new(),
            section: self.section,
            tight: self.tight && pair[0] == 0,
        };
        cuts.windows(2).map(piece).filter(|unit| !unit.text.is_empty()).collect()
    }
}

/// The sentences of a text, looked for in stretches of at most [`STRETCH`] bytes. A longer sentence is cut, a shorter one is not:
/// the last of a stretch is looked for again in the next one.
fn sentences_in_stretches(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = if text.len() - at <= STRETCH { text.len() } else { cut_before(text, at, at + STRETCH) };
        let of_stretch = sentences(&text[at..end]);
        let begun = of_stretch.last().filter(|last| end < text.len() && last.start > 0).map(|last| at + last.start);
        found.extend(of_stretch.iter().map(|sentence| at + sentence.start..at + sentence.end));
        if begun.is_some() {
            found.pop();
        }
        at = begun.unwrap_or(end);
    }
    found
}

/// The last space before `limit`, or else the last character boundary; always after `start`.
fn cut_before(text: &str, start: usize, limit: usize) -> usize {
    let mut at = text.floor_char_boundary(limit);
    if let Some(space) = text[start..at].rfind(char::is_whitespace)
        && space > (at - start) / 2
    {
        at = start + space;
    }
    if at > start { at } else { text.ceil_char_boundary(start + 1) }
}

/// Groups units of one section to passages of about `size` bytes. The passages' source ranges follow each other from
/// `body` to the end of the source, white space around them left out; pieces of rewritten text share a range.
pub(super) fn passages(
    source: &str,
    body: usize,
    units: Vec<Unit>,
    sections: &[Vec<String>],
    size: usize,
) -> Vec<Passage> {
    let size = size.max(64);
    let mut groups: Vec<Unit> = Vec::new();
    let mut closed = true;
    for unit in units.into_iter().flat_map(|unit| unit.split(source, size, size + size / 2)) {
        let ends = ends_passage(&unit.text);
        match groups.last_mut() {
            Some(open) if !closed && open.section == unit.section && open.text.len() + unit.text.len() <= size => {
                open.text.push_str(if unit.tight { "\n" } else { "\n\n" });
                open.text.push_str(&unit.text);
            }
            _ => groups.push(unit),
        }
        closed = groups.last().is_some_and(|open| open.text.len() >= size / 2) && ends;
    }
    let lines = LineIndex::new(source);
    let mut starts: Vec<usize> = Vec::with_capacity(groups.len());
    let first = groups.first().map_or(body, |group| group.lead);
    for group in &groups {
        // What stands before the first unit, such as link definitions, belongs to it.
        let start = if group.lead <= first { body } else { group.lead };
        let before = starts.last().copied().unwrap_or(body);
        // A place of white space alone is none: the passage shares the one of the passage before it.
        let own = starts.is_empty() || source.get(before..start).is_some_and(|gap| !gap.trim().is_empty());
        starts.push(if own { start } else { before });
    }
    let mut ends = vec![source.len(); groups.len()];
    for index in (0..groups.len().saturating_sub(1)).rev() {
        ends[index] = if starts[index + 1] > starts[index] { starts[index + 1] } else { ends[index + 1] };
    }
    groups
        .into_iter()
        .zip(starts.into_iter().zip(ends))
        .map(|(group, (start, end))| Passage {
            heading: sections.get(group.section).cloned().unwrap_or_default(),
            locator: lines.locate(source, start..end),
            text: group.text,
        })
        .collect()
}

/// Whether a passage that is long enough ends after this unit. Because the unit's own text decides, the groups fall
/// into step again after an inserted or deleted paragraph, and the ids of later passages stay.
fn ends_passage(text: &str) -> bool {
    blake3::hash(text.as_bytes()).as_bytes()[0].is_multiple_of(3)
}

/// Finds lines by bytes.
struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    fn new(source: &str) -> Self {
        let after = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { starts: std::iter::once(0).chain(after).collect() }
    }

    fn line(&self, at: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }

    /// The place of a range without the white space around it.
    fn locate(&self, source: &str, range: Range<usize>) -> Locator {
        let piece = &source[range.clone()];
        let start_byte = range.start + (piece.len() - piece.trim_start().len());
        let end_byte = start_byte + piece.trim().len();
        Locator::Lines {
            first_line: self.line(start_byte),
            last_line: self.line(end_byte.saturating_sub(1).max(start_byte)),
            start_byte,
            end_byte,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Format, Passage, read};
    use super::*;

    fn bytes_of(passage: &Passage) -> Range<usize> {
        let Locator::Lines { start_byte, end_byte, .. } = passage.locator else { panic!("no bytes") };
        start_byte..end_byte
    }

    fn visible(text: &str) -> String {
        graphloom_text::visible_text(text).chars().filter(|c| !c.is_whitespace()).collect()
    }

    /// The ranges of passages follow each other and leave out only white space; equal ones are of one rewritten block.
    fn assert_tiled(source: &str, passages: &[Passage]) {
        let mut end = 0;
        let mut last = None;
        for passage in passages {
            let range = bytes_of(passage);
            assert!(!passage.text.trim().is_empty());
            assert!(source.is_char_boundary(range.start) && source.is_char_boundary(range.end));
            if last.as_ref() == Some(&range) {
                continue;
            }
            assert!(range.start >= end && range.end > range.start, "{range:?} after {end}");
            assert_eq!(source[end..range.start].trim(), "");
            end = range.end;
            last = Some(range);
        }
        assert!(passages.is_empty() || source[end..].trim().is_empty());
    }

    fn block() -> impl Strategy<Value = String> {
        prop_oneof![
            "(#|##|###) [a-zé日 ]{0,12}\n",
            "[a-zA-Zé日本。. \\[\\]*_`<>&;!|-]{0,400}\n{1,2}",
            "(- |1\\. |> |    |\\| ?)[a-z *_é]{0,60}\n",
            "```\n[a-z(){}\n ]{0,80}\n```\n",
            "(<div>|<!--|-->|</div>|\\[a\\]: b|\\[\\^1\\]|---|===|\\| a \\| b \\|\n\\|---\\|---\\|)\n",
            "\\PC{0,80}\r?\n",
        ]
    }

    proptest! {
        #[test]
        fn markdown_is_tiled_by_its_passages(blocks in prop::collection::vec(block(), 0..24), size in 1_usize..400) {
            // No front matter, which is outside of all passages.
            let source = format!("\n{}", blocks.concat());
            let document = read(Format::Markdown, "x.md", &source, size).unwrap();
            assert_tiled(&source, &document.passages);
        }

        #[test]
        fn plain_text_is_kept_whole(source in "(\\PC{0,30}[ \n\r.]{0,3}){0,40}", size in 1_usize..300) {
            let document = read(Format::Plain, "x.txt", &source, size).unwrap();
            assert_tiled(&source, &document.passages);
            let text: String = document.passages.iter().map(|passage| visible(&passage.text)).collect();
            prop_assert_eq!(text, visible(&source));
            for passage in &document.passages {
                prop_assert_eq!(visible(&source[bytes_of(passage)]), visible(&passage.text));
            }
        }

        #[test]
        fn every_word_of_markdown_prose_is_found_where_the_passage_says(
            paragraphs in prop::collection::vec("[a-z]{1,9}( [a-z]{1,9}){0,80}", 1..12), size in 64_usize..500,
        ) {
            let source = paragraphs.join("\n\n## Head\n\n- ");
            let document = read(Format::Markdown, "x.md", &source, size).unwrap();
            let words: Vec<&str> = document
                .passages
                .iter()
                .flat_map(|passage| passage.text.split_whitespace())
                .filter(|word| *word != "-")
                .collect();
            prop_assert_eq!(words, paragraphs.iter().flat_map(|text| text.split(' ')).collect::<Vec<_>>());
            for passage in &document.passages {
                let slice = &source[bytes_of(passage)];
                prop_assert!(passage.text.split_whitespace().all(|word| slice.contains(word)));
            }
        }
    }

    #[test]
    fn pieces_of_a_rewritten_block_share_its_place() {
        let source = format!("\n- `{}`\n\nAfter.", "a b &amp; ".repeat(40));
        let document = read(Format::Markdown, "x.md", &source, 64).unwrap();
        assert!(document.passages.len() > 3);
        assert_tiled(&source, &document.passages);
        assert_eq!(bytes_of(&document.passages[0]), bytes_of(&document.passages[1]));
    }

    #[test]
    fn sentences_are_the_same_in_stretches() {
        let counted: String = (0..3000).map(|number| format!("Sentence {number} ends here. ")).collect();
        for text in ["", "One. Two.", &counted, &"é. È ".repeat(9000)] {
            assert_eq!(sentences_in_stretches(text), sentences(text));
        }
    }

    #[test]
    fn a_sentence_longer_than_a_stretch_is_cut() {
        for text in ["word ".repeat(10_000), "x".repeat(20_000), "é".repeat(10_000), " ".repeat(20_000)] {
            let found = sentences_in_stretches(&text);
            assert!(found.iter().all(|sentence| sentence.len() <= STRETCH));
            let bare = |text: &str| text.replace(' ', "");
            assert_eq!(bare(&found.into_iter().map(|sentence| &text[sentence]).collect::<String>()), bare(&text));
        }
    }

    #[test]
    fn a_long_paragraph_is_cut_at_sentences_and_located() {
        let sentence = "This is **one** sentence of the long paragraph. ";
        let source = format!("# Head\n\n{}", sentence.repeat(100));
        let document = read(Format::Markdown, "x.md", &source, 600).unwrap();
        assert!(document.passages.len() > 5);
        for passage in &document.passages {
            assert!(passage.text.len() <= 600 && passage.text.ends_with("paragraph."), "{}", passage.text);
            let slice = &source[bytes_of(passage)];
            assert_eq!(slice.trim_start_matches("# Head").replace("**", "").trim(), passage.text);
        }
    }
}
