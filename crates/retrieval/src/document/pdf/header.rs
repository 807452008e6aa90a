//! What stands before the mark of a PDF file: a line end, a byte order mark, the banner of a program.

use std::borrow::Cow;

use crate::document::kind::mark_of_pdf;

/// What the library takes for the beginning of a file.
const MARK: &[u8] = b"%PDF-1.7\n";

/// The forms in which a file can be read whose mark need not be its beginning, the likelier first. Places in the file count from
/// the mark, or, where a program wrote something before it afterwards, from the beginning.
pub(super) fn forms(bytes: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let Some(mark) = mark_of_pdf(bytes).filter(|mark| *mark > 0) else { return vec![Cow::Borrowed(bytes)] };
    let from_mark = Cow::Borrowed(&bytes[mark..]);
    // The mark is put over what stands before it, and whatever is left of its own line ends as a comment.
    let mut whole = bytes.to_vec();
    let end = mark + bytes[mark..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    whole[..end].fill(b' ');
    let length = MARK.len().min(end);
    whole[..length].copy_from_slice(&MARK[..length]);
    let from_beginning = Cow::Owned(whole);
    let place = table_place(bytes);
    let begins = |at: usize| is_table(bytes.get(at..).unwrap_or_default());
    let counted_from_mark = place.is_none_or(|place| begins(place.saturating_add(mark)) || !begins(place));
    if counted_from_mark { vec![from_mark, from_beginning] } else { vec![from_beginning, from_mark] }
}

/// Where a file says that its last table of objects is.
fn table_place(bytes: &[u8]) -> Option<usize> {
    let word = b"startxref";
    let at = bytes.windows(word.len()).rposition(|window| window == word)? + word.len();
    let number = bytes[at..].trim_ascii_start();
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&number[..digits]).ok()?.parse().ok()
}

/// Whether a table of objects begins here, or the object that holds one.
fn is_table(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_start();
    let mut words = bytes[..bytes.len().min(40)].split(u8::is_ascii_whitespace);
    let mut number = || words.next().is_some_and(|word| !word.is_empty() && word.iter().all(u8::is_ascii_digit));
    bytes.starts_with(b"xref") || (number() && number() && words.next().is_some_and(|word| word.starts_with(b"obj")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_that_fits_the_places_comes_first() {
        let file = b"%PDF-1.4\nxref\nstartxref\n9\n%%EOF";
        assert_eq!(forms(file), [Cow::Borrowed(file)]);
        for before in ["\n", "\u{feff}", "GPL Ghostscript 9.07: a banner\n"] {
            let from_mark = [before.as_bytes(), file].concat();
            assert_eq!(forms(&from_mark)[0], file.as_slice(), "{before:?}");
            let place = format!("startxref\n{}\n%%EOF", 9 + before.len());
            let from_beginning = [before.as_bytes(), b"%PDF-1.4\nxref\n", place.as_bytes()].concat();
            let form = &forms(&from_beginning)[0];
            assert_eq!(form.len(), from_beginning.len(), "{before:?}");
            assert!(form.starts_with(b"%PDF-1.7") && form.ends_with(place.as_bytes()), "{before:?}");
        }
    }
}
