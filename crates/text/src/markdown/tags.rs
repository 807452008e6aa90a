//! The elements of HTML that a text leaves open.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{parser, prefix_of};

/// Elements that are closed when a text leaves them open. Names that are none of these are text for readers, as the type in
/// `Vec<String>`; a paragraph ends by itself.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "article",
    "aside",
    "audio",
    "b",
    "big",
    "blockquote",
    "button",
    "caption",
    "center",
    "cite",
    "code",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "i",
    "iframe",
    "ins",
    "kbd",
    "label",
    "li",
    "main",
    "mark",
    "nav",
    "noscript",
    "ol",
    "pre",
    "q",
    "s",
    "samp",
    "script",
    "section",
    "select",
    "small",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];
/// Elements whose content has no tags.
const RAW: [&str; 4] = ["script", "style", "textarea", "iframe"];

/// What the HTML of a text leaves open.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OpenHtml {
    /// The line that ends the tag or the comment which the text breaks off in; empty where it breaks off in none.
    pub(super) cut: String,
    /// The elements, the outer ones first.
    pub(super) elements: Vec<String>,
}

/// What the HTML of a text leaves open.
pub(super) fn open_html(text: &str) -> OpenHtml {
    let mut open = OpenHtml::default();
    if !text.contains('<') {
        return open;
    }
    let mut block: Option<(String, std::ops::Range<usize>)> = None;
    for (event, range) in parser(text).into_offset_iter() {
        match event {
            Event::Start(Tag::HtmlBlock) => block = Some((String::new(), range)),
            Event::End(TagEnd::HtmlBlock) => {
                if let Some((html, range)) = block.take() {
                    let cut = read(&html, &mut open.elements);
                    let is_cut = !cut.is_empty() && text[range.end.min(text.len())..].trim().is_empty();
                    open.cut = if is_cut { prefix_of(text, range.start) + &cut } else { String::new() };
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => match &mut block {
                Some((whole, _)) => whole.push_str(&html),
                None => {
                    read(&html, &mut open.elements);
                }
            },
            _ => {}
        }
    }
    open
}

/// Takes the tags of a piece of HTML into account, and gives what ends the tag or comment that it breaks off in.
fn read(html: &str, open: &mut Vec<String>) -> String {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if let Some(raw) = open.last().filter(|name| RAW.contains(&name.as_str())) {
            let end = format!("</{raw}");
            match rest.to_ascii_lowercase().find(&end) {
                Some(at) => rest = &rest[at..],
                None => return String::new(),
            }
        }
        if let Some(comment) = rest.strip_prefix("<!--") {
            let Some(end) = comment.find("-->") else { return "-->".to_owned() };
            rest = &comment[end + 3..];
            continue;
        }
        let closes = rest[1..].starts_with('/');
        let name_at = 1 + usize::from(closes);
        let length = rest[name_at..].bytes().take_while(u8::is_ascii_alphanumeric).count();
        let written = &rest[name_at..name_at + length];
        if !written.starts_with(|c: char| c.is_ascii_alphabetic()) {
            rest = &rest[1..];
            continue;
        }
        let (end, quote) = tag_end(&rest[name_at + length..]);
        let Some(end) = end else { return format!("{}>", quote.map_or(String::new(), String::from)) };
        let tag = &rest[..name_at + length + end];
        rest = &rest[tag.len()..];
        let name = written.to_ascii_lowercase();
        // One capital is a type of a program.
        let known = ELEMENTS.contains(&name.as_str()) && !(written.len() == 1 && written != name);
        if !known {
            continue;
        }
        if closes {
            if let Some(at) = open.iter().rposition(|one| *one == name) {
                open.truncate(at);
            }
        } else if !tag.ends_with("/>") {
            open.push(name);
        }
    }
    String::new()
}

/// Where a tag ends, behind its name; and the sign of a value that it breaks off in.
fn tag_end(rest: &str) -> (Option<usize>, Option<char>) {
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return (Some(at + 1), None),
            _ => {}
        }
    }
    (None, quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_elements_that_are_open_are_found() {
        for (text, cut, elements) in [
            ("<details>\n<summary>a</summary>\n\nb", "", vec!["details"]),
            ("<details>\n\nb\n\n</details>", "", vec![]),
            ("<table>\n<tr><td>a", "", vec!["table", "tr", "td"]),
            ("a <sub>b", "", vec!["sub"]),
            ("a <br> b <img src=x> Vec<String> <T> <B>", "", vec![]),
            ("<div class=\"a", "\">", vec![]),
            ("<div>\n<!-- a", "-->", vec!["div"]),
            ("```html\n<div>\n```", "", vec![]),
            ("`<div>`", "", vec![]),
            ("<script>\nif (a<b) { \"<div>\" }\n</script>", "", vec![]),
        ] {
            let open = open_html(text);
            assert_eq!(
                (open.cut.as_str(), open.elements),
                (cut, elements.into_iter().map(str::to_owned).collect()),
                "{text:?}"
            );
        }
    }
}
