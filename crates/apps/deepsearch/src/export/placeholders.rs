//! Placeholders in a text, which are filled in after the text was rendered.

/// The delimiters around the name of a placeholder. They are removed from text that others wrote.
pub(super) const OPEN: char = '\u{f8f0}';
pub(super) const CLOSE: char = '\u{f8f1}';

/// A text without placeholders.
pub(super) fn without_placeholders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(OPEN) {
        out.push_str(before);
        rest = behind.split_once(CLOSE).map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// A text whose lines `(#insertChart:ID)` are replaced; placeholders of unknown charts, and those inside
/// of other lines, are removed. HTML captions of older versions become Markdown captions.
pub(super) fn with_charts(text: &str, picture: impl Fn(&str) -> Option<String>) -> String {
    const HEAD: &str = "(#insertChart:";
    const OLD: (&str, &str) = ("<font size=2>**", "</font>");
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if let Some(caption) = line.strip_prefix(OLD.0) {
            out.push_str("**");
            out.push_str(&caption.replacen(OLD.1, "", 1));
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find(HEAD) {
            out.push_str(&rest[..at]);
            let body = &rest[at + HEAD.len()..];
            let length =
                body.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(body.len());
            let Some(behind) = body[length..].strip_prefix(')') else {
                out.push_str(HEAD);
                rest = body;
                continue;
            };
            if rest.len() == line.len() && at == 0 && behind.trim().is_empty() {
                out.push_str(&picture(&body[..length]).unwrap_or_default());
            }
            rest = behind;
        }
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_put_where_they_belong_and_old_captions_lose_their_html() {
        let text = "(#insertChart:c_1)\nA (#insertChart:c_1) (#insertChart:x y)\n(#insertChart:none)\n\
                    <font size=2>**T**: d</font>[[1]](u)\n";
        let with = with_charts(text, |id| (id == "c_1").then(|| "PICTURE".to_owned()));
        assert_eq!(with, "PICTURE\nA  (#insertChart:x y)\n\n**T**: d[[1]](u)\n");
        assert_eq!(without_placeholders(&format!("a{OPEN}c1{CLOSE}b{OPEN}")), "ab");
    }
}
