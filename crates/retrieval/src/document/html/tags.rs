//! One pass over the tags of a page before the parsers see it.

/// Makes paragraphs of the parts of definition lists and of summaries, which the readers would run together.
pub(super) fn prepare(source: &str) -> String {
    let mut prepared = String::with_capacity(source.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = source[at..].find('<') {
        let start = at + found;
        let rest = &source[start + 1..];
        at = start + 1;
        if rest.starts_with("!--") {
            at = rest.find("-->").map_or(source.len(), |end| start + 1 + end + 3);
            continue;
        }
        let closing = rest.starts_with('/');
        let name_at = start + 1 + usize::from(closing);
        let length = source[name_at..].bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'-').count();
        let name = source[name_at..name_at + length].to_ascii_lowercase();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        at = name_at + length;
        match name.as_str() {
            "dt" | "dd" | "summary" => {
                prepared.push_str(&source[copied..name_at]);
                prepared.push('p');
                copied = at;
            }
            "script" | "style" if !closing => at = end_of_raw(source, at, &name),
            _ => {}
        }
    }
    prepared.push_str(&source[copied..]);
    prepared
}

/// Where the end tag of an element begins whose content is not markup.
fn end_of_raw(source: &str, from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(found) = source[at..].find("</") {
        let end = at + found;
        if source.get(end + 2..end + 2 + name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name)) {
            return end;
        }
        at = end + 2;
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_that_would_run_together_change() {
        for (source, prepared) in [
            ("<dl><DT class=x>a</DT><dd>b</dl>", "<dl><p class=x>a</p><p>b</dl>"),
            ("<details><summary>a</summary>b", "<details><p>a</p>b"),
            ("<p>a < b <!-- <dt> --> <é></p>", "<p>a < b <!-- <dt> --> <é></p>"),
            ("<script>'<dt>'</SCRIPT><dt>", "<script>'<dt>'</SCRIPT><p>"),
            ("text <", "text <"),
            ("<!-- open", "<!-- open"),
            ("<style>é</", "<style>é</"),
        ] {
            assert_eq!(prepare(source), prepared);
        }
    }
}
