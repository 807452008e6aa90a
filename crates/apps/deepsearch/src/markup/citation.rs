//! The `[citation:X]` of a writer.

/// The marker of the document with this number, from 1.
pub fn citation(number: usize) -> String {
    format!("[citation:{number}]")
}

/// The numbers that a text cites, in their order, as `[citation:X]` with any spaces.
pub fn cited(text: &str) -> Vec<usize> {
    markers(text).filter_map(|(_, number)| number).collect()
}

/// The places of markers, and their numbers where they can be read.
fn markers(text: &str) -> impl Iterator<Item = (std::ops::Range<usize>, Option<usize>)> {
    text.match_indices('[').filter_map(|(start, _)| {
        let rest = &text[start + 1..];
        let close = rest.find(']')?;
        let number = rest[..close].trim().strip_prefix("citation")?.trim_start().strip_prefix(':')?.trim();
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| (start..start + close + 2, number.parse().ok()))
    })
}

/// The text without markers of documents that there are not, and with the others in one spelling; and how many were
/// taken away.
pub(crate) fn only_known(text: &str, documents: usize) -> (String, usize) {
    let (mut out, mut at, mut removed) = (String::with_capacity(text.len()), 0, 0);
    for (range, number) in markers(text) {
        if range.start < at {
            continue;
        }
        match number.filter(|number| (1..=documents).contains(number)) {
            Some(number) => {
                out.push_str(&text[at..range.start]);
                out.push_str(&citation(number));
            }
            None => {
                out.push_str(text[at..range.start].trim_end_matches(' '));
                removed += 1;
            }
        }
        at = range.end;
    }
    out.push_str(&text[at..]);
    (out, removed)
}
