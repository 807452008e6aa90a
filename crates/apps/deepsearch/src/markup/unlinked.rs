//! Citation marks and links of conclusions inside of a selection.

use std::ops::Range;

use graphloom_citations::marks;

/// What the end of a conclusion's link begins with.
const LINK: &str = "](#inference:";

/// A selection without its markup, and what must be replaced with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleaned {
    /// The bytes that are replaced: the selection and the marks that it cuts through.
    pub hull: Range<usize>,
    /// Text between the beginning of the hull and the selection, which stays.
    pub before: String,
    /// The selected text without markup.
    pub text: String,
    /// Text between the selection and the end of the hull, which stays.
    pub after: String,
    /// The markup that is lost, as it stood.
    pub lost: Vec<String>,
}

/// A piece of markup: bytes that are no text, and all bytes that go when one of them does.
struct Piece {
    own: Vec<Range<usize>>,
    /// As it is reported.
    shown: String,
}

/// The selection without citation marks, and with links of conclusions unwrapped. A mark or the syntax of a link that the
/// selection cuts through goes as a whole; the words of such a link stay.
pub fn clean(report: &str, selection: Range<usize>) -> Cleaned {
    let touched: Vec<Piece> = pieces(report)
        .into_iter()
        .filter(|piece| piece.own.iter().any(|own| own.start < selection.end && own.end > selection.start))
        .collect();
    let all: Vec<&Range<usize>> = touched.iter().flat_map(|piece| &piece.own).collect();
    let start = all.iter().map(|own| own.start).chain([selection.start]).min().unwrap_or(selection.start);
    let end = all.iter().map(|own| own.end).chain([selection.end]).max().unwrap_or(selection.end);
    let mut cleaned = Cleaned {
        hull: start..end,
        before: String::new(),
        text: String::new(),
        after: String::new(),
        lost: touched.iter().map(|piece| piece.shown.clone()).collect(),
    };
    for (offset, c) in report[start..end].char_indices() {
        let at = start + offset;
        if all.iter().any(|own| own.contains(&at)) {
            continue;
        }
        if at < selection.start {
            cleaned.before.push(c);
        } else if at < selection.end {
            cleaned.text.push(c);
        } else {
            cleaned.after.push(c);
        }
    }
    cleaned
}

/// A text of a model without any markup that would pass for ours.
pub fn plain(text: &str) -> String {
    clean(text, 0..text.len()).text
}

fn pieces(text: &str) -> Vec<Piece> {
    // Of a bracket with several sources the last mark has the bytes.
    let mut found: Vec<Piece> = marks(text)
        .into_iter()
        .filter(|mark| !mark.range.is_empty())
        .map(|mark| Piece { shown: text[mark.range.clone()].to_owned(), own: vec![mark.range] })
        .collect();
    found.extend(links(text).into_iter().map(|(open, close)| Piece {
        shown: text[close.start + "](".len()..close.end - 1].to_owned(),
        own: vec![open, close],
    }));
    found.sort_by_key(|piece| piece.own.first().map_or(0, |own| own.start));
    found
}

/// The links of conclusions: the bytes that open each and those that close it.
fn links(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(offset) = text[from..].find(LINK) {
        let at = from + offset;
        from = at + LINK.len();
        let digits = text[from..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || !text[from + digits..].starts_with(')') {
            continue;
        }
        let end = from + digits + 1;
        // The words of a conclusion hold no brackets, so the last one that opens is the link's.
        if let Some(open) = text[..at].rfind(['[', ']', '\n']).filter(|open| text[*open..].starts_with('[')) {
            found.push((open..open + 1, at..end));
        }
        from = end;
    }
    found
}

/// A text without the links of its conclusions, and the way back from its bytes.
pub(crate) struct Unlinked {
    pub(crate) text: String,
    /// The bytes of the linked text that were taken out, in order.
    gone: Vec<Range<usize>>,
}

impl Unlinked {
    pub(crate) fn of(linked: &str) -> Self {
        let gone: Vec<Range<usize>> = links(linked).into_iter().flat_map(|(open, close)| [open, close]).collect();
        let (mut text, mut from) = (String::with_capacity(linked.len()), 0);
        for range in &gone {
            text.push_str(&linked[from..range.start]);
            from = range.end;
        }
        text.push_str(&linked[from..]);
        Self { text, gone }
    }

    /// Bytes of the text as bytes of the linked one. What is opened before the first byte and closed behind the last one is
    /// within them.
    pub(crate) fn linked(&self, range: Range<usize>) -> Range<usize> {
        let (mut start, mut end) = (range.start, range.end);
        for gone in &self.gone {
            start += if gone.start < start { gone.len() } else { 0 };
            end += if gone.start <= end { gone.len() } else { 0 };
        }
        start..end
    }
}
