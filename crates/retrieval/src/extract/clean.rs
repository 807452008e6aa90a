//! Sentences as they can stand in another text.

/// A sentence on one line, without bracketed numbers, which would pass for citations.
#[must_use]
pub fn clean(sentence: &str) -> String {
    let line = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_start_matches(['-', '*', '•', '>', ' ']);
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        let inner = &rest[open + 1..];
        let close = inner.find(']').unwrap_or(inner.len());
        let is_number =
            close > 0 && inner[..close].bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b' ' | b'-'));
        if is_number && close < inner.len() {
            out.push_str(rest[..open].trim_end());
            rest = &inner[close + 1..];
        } else {
            out.push_str(&rest[..=open]);
            rest = inner;
        }
    }
    out.push_str(rest);
    out
}
