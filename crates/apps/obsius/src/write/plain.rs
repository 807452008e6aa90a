//! Plain words out of Markdown.

use graphloom_vault::Note;

/// A line of Markdown without links, images, tags of HTML and marks: what can stand in another note and mean nothing
/// there.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("![").or_else(|| rest.strip_prefix('[')) {
            let is_image = c == '!';
            let after = after.strip_prefix('[').unwrap_or(after);
            if let Some(close) = closing(after) {
                let shown = &after[..close];
                if !is_image {
                    let shown = shown.rsplit('|').next().unwrap_or(shown);
                    out.push_str(&plain(shown));
                }
                rest = skip_target(after[close + 1..].trim_start_matches(']'));
                continue;
            }
            rest = after;
            continue;
        }
        if c == '<'
            && let Some(end) = rest.find('>')
        {
            rest = &rest[end + 1..];
            continue;
        }
        if c == '%' && out.ends_with('%') {
            // Two would begin a comment.
            out.pop();
        } else if means_nothing(c, out.chars().next_back(), rest[c.len_utf8()..].chars().next()) {
            out.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a character between these two is one of the text: not a mark that begins or ends something.
fn means_nothing(c: char, before: Option<char>, after: Option<char>) -> bool {
    let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_space = |c: Option<char>| c.is_some_and(char::is_whitespace);
    match c {
        '`' | '[' | ']' => false,
        '_' | '^' => in_word(before) && in_word(after),
        // `C#`, but neither `#tag` nor `# Heading`.
        '#' => in_word(before),
        // `2 * 3` and `a | b`, but neither `*so*` nor a cell of a table.
        '*' | '|' => is_space(before) && is_space(after),
        _ => true,
    }
}

/// Where the bracket closes, over brackets inside.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The text after a link's target.
fn skip_target(text: &str) -> &str {
    let close = match text.chars().next() {
        Some('(') => ')',
        Some('[') => ']',
        _ => return text,
    };
    text.find(close).map_or(text, |end| &text[end + 1..])
}

/// The first sentence of a note's text that is prose, at most `most` characters of it; empty when there is none.
pub fn first_sentence(note: &Note, most: usize) -> String {
    let mut in_code = false;
    let mut paragraph = String::new();
    for line in note.body().lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        let is_prose = !in_code
            && !line.is_empty()
            && !line.starts_with(['#', '|', '<', '>', '-', '*', '+', '=', '!', ':'])
            && !line.starts_with("[!");
        if is_prose {
            let words = plain(line);
            let says: Vec<&str> = words.split(' ').filter(|word| !word.contains("://")).collect();
            let words = says.join(" ");
            if !words.is_empty() {
                paragraph.push_str(&words);
                paragraph.push(' ');
            }
        } else if paragraph.chars().filter(|c| c.is_alphabetic()).count() > 10 {
            break;
        } else {
            paragraph.clear();
        }
    }
    let paragraph = paragraph.trim();
    let mut end = paragraph.len();
    for (at, c) in paragraph.char_indices() {
        let next = paragraph[at + c.len_utf8()..].chars().next();
        if matches!(c, '。' | '！' | '？') || matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace) {
            end = at + c.len_utf8();
            break;
        }
    }
    let sentence = &paragraph[..end];
    if sentence.chars().count() <= most {
        return sentence.to_owned();
    }
    let cut: String = sentence.chars().take(most.saturating_sub(1)).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{whole}…")
}

#[cfg(test)]
mod tests {
    use graphloom_vault::NotePath;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_words_are_left() {
        for (markdown, words) in [
            ("A [crate](https://x.y/z) for *trees*.", "A crate for trees."),
            ("See [[Moon|the moon]] and [[Tides]]", "See the moon and Tides"),
            ("[![badge](a.svg)](b) Fast", "Fast"),
            ("use `Vec` #now <b>bold</b>", "use Vec now bold"),
            ("a [ref][1] b", "a ref b"),
            ("_derive_more_ is", "derive_more is"),
            ("open [ bracket", "open bracket"),
            ("100% user-supported, C# and F#", "100% user-supported, C# and F#"),
            ("x^2 is 2 * 3 | 4 %% hidden", "x^2 is 2 * 3 | 4 hidden"),
            ("**so** ^id # #tag", "so id tag"),
        ] {
            assert_eq!(plain(markdown), words, "{markdown}");
        }
    }

    #[test]
    fn the_first_sentence_is_prose() {
        let text = "---\ntags: x\n---\n# Title\n[![b](c)](d)\n\n```rust\nlet a = 1.0;\n```\n(https://x.y/z).\n\nCandle is a small framework. It has more.\n";
        let note = Note::parse(NotePath::parse("a.md").unwrap(), text);
        assert_eq!(first_sentence(&note, 100), "Candle is a small framework.");
        assert_eq!(first_sentence(&note, 12), "Candle is…");
        assert_eq!(first_sentence(&Note::parse(NotePath::parse("a.md").unwrap(), "# Only\n"), 80), "");
    }

    proptest! {
        #[test]
        fn no_link_and_no_tag_is_left(text in "[\\[\\]()|!#%^a-c ]{0,40}") {
            let words = plain(&text);
            let note = Note::parse(NotePath::parse("a.md").unwrap(), format!("x {words}"));
            prop_assert!(note.links().is_empty() && note.tags().is_empty(), "{}", words);
        }
    }
}
