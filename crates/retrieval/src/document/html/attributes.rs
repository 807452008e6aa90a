//! A bound on the attributes of a tag, which the parsers compare with one another: each with all before it.

use std::borrow::Cow;

/// The most attributes of a tag. Written pages stay far below it.
const MOST: usize = 128;
/// How many bytes may be looked at for each byte of a page. Written pages need about one.
const WORK: usize = 32;

/// A page whose tags have few attributes. What would be a tag with more becomes text.
///
/// Where a tag begins depends on all that is before it: inside of a comment or a script `<p` is none, but what a comment
/// or a script is, only the parsers know. So every place that could begin a tag is looked at by itself, which makes the
/// bound hold wherever the parsers see tags.
///
/// # Errors
/// Refuses a page whose tags stand inside each other so often that this look takes long.
pub(super) fn limit(source: &str) -> Result<Cow<'_, str>, String> {
    let mut work = Work { left: source.len().saturating_mul(WORK).saturating_add(1 << 16) };
    let mut limited = String::new();
    let mut copied = 0;
    for (at, _) in source.match_indices('<') {
        let behind = &source.as_bytes()[at + 1..];
        let behind = behind.strip_prefix(b"/").unwrap_or(behind);
        if !behind.first().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        if work.is_too_large(behind)? {
            limited.push_str(&source[copied..at]);
            limited.push_str("&lt;");
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(source));
    }
    limited.push_str(&source[copied..]);
    Ok(Cow::Owned(limited))
}

/// How many bytes may still be looked at.
struct Work {
    left: usize,
}

impl Work {
    /// Whether the tag whose name `bytes` begin with has more attributes than [`MOST`] (HTML, sections 13.2.5.8 to
    /// 13.2.5.40).
    fn is_too_large(&mut self, bytes: &[u8]) -> Result<bool, String> {
        let mut at = self.until(bytes, 0, |b| is_space(b) || matches!(b, b'/' | b'>'))?;
        for _ in 0..=MOST {
            at = self.until(bytes, at, |b| !is_space(b) && b != b'/')?;
            if matches!(bytes.get(at), None | Some(b'>')) {
                return Ok(false);
            }
            // A sign of equality begins a name, too, when nothing is before it.
            at = self.until(bytes, at + 1, |b| is_space(b) || matches!(b, b'/' | b'>' | b'='))?;
            let value = self.until(bytes, at, |b| !is_space(b))?;
            if bytes.get(value) != Some(&b'=') {
                continue;
            }
            at = self.until(bytes, value + 1, |b| !is_space(b))?;
            at = match bytes.get(at) {
                Some(&quote @ (b'"' | b'\'')) => self.until(bytes, at + 1, |b| b == quote)? + 1,
                _ => self.until(bytes, at, |b| is_space(b) || b == b'>')?,
            };
        }
        Ok(true)
    }

    /// The first byte from `from` on that fits, or the end.
    fn until(&mut self, bytes: &[u8], from: usize, fits: impl Fn(u8) -> bool) -> Result<usize, String> {
        let rest = bytes.get(from..).unwrap_or_default();
        let length = rest.iter().take(self.left).position(|b| fits(*b)).unwrap_or(rest.len().min(self.left));
        self.left -= length;
        if self.left == 0 {
            return Err("its tags stand inside each other too often".to_owned());
        }
        self.left -= 1;
        Ok(from + length)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

#[cfg(test)]
mod tests {
    use dom_smoothie::Readability;
    use proptest::prelude::*;

    use super::*;

    /// The most attributes that the parsers see in an element.
    fn most(page: &str) -> usize {
        let reader = Readability::new(page, None, None).unwrap();
        reader.doc.select("*").nodes().iter().map(|node| node.attrs().len()).max().unwrap_or(0)
    }

    fn bomb(open: &str, count: usize, between: &str, close: &str) -> String {
        let attributes: Vec<String> = (0..count).map(|number| format!("a{number}=1")).collect();
        format!("{open}<p {}>{close}", attributes.join(between))
    }

    #[test]
    fn a_tag_of_many_attributes_is_text_wherever_it_hides() {
        for (open, between, close) in [
            ("", " ", "text"),
            ("<!-->", " ", "-->"),
            ("<!-- --!>", "\n", "-->"),
            ("<script>a<b=\"</script>", " ", "\""),
            ("<title>", " ", "</title>"),
            ("<textarea><p ", "/", "</textarea>"),
            ("<i x=\"<b y='\">", "\t", "'"),
            ("<![CDATA[", " x=\">\" ", "]]>"),
        ] {
            let page = bomb(open, 300, between, close);
            let limited = limit(&page).unwrap();
            assert!(most(&limited) <= MOST, "{open}: {}", most(&limited));
        }
        let large = bomb("<body>", 300_000, " ", "text</p>");
        assert!(most(&limit(&large).unwrap()) <= MOST);
    }

    #[test]
    fn written_pages_stay_as_they_are() {
        let long = format!("<img alt=a src=\"data:image/png;base64,{}\">", "A b/".repeat(100_000));
        let few = bomb("", MOST, " ", "</p>");
        for page in ["", "a < b <", "<p class=x>a</p>", "<a href='/x?a=1&b=2' >x</a >", "<", "</", "<p", &long, &few] {
            assert!(matches!(limit(page), Ok(Cow::Borrowed(_))), "{page:.60}");
        }
    }

    #[test]
    fn the_work_is_bounded_by_the_length() {
        // Each of these tags would hold all that come after it.
        for tangled in ["<a", "<a b='", "<a b=\"", "<a/"] {
            let page = tangled.repeat(100_000);
            assert!(limit(&page).map_or(true, |limited| limited.len() <= 4 * page.len()), "{tangled}");
        }
        assert!(limit(&"<a".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn no_element_has_more_attributes_than_the_bound(
            pieces in prop::collection::vec(
                prop_oneof![
                    "[<>/!?=\"' \na-c-]{0,6}",
                    "(<!--|-->|--!>|<!-->|<script>|</script>|<style>|<title>|</title>|<svg>|<textarea>|<p |<a b=\"|<a b=')",
                    (100_usize..200, "( |/|\n|='|=\" )").prop_map(|(count, between)| {
                        (0..count).map(|number| format!("k{number}{between}")).collect::<String>()
                    }),
                ],
                0..24,
            )
        ) {
            let page = pieces.concat();
            if let Ok(limited) = limit(&page) {
                prop_assert!(most(&limited) <= MOST, "{limited}");
            }
        }
    }
}
