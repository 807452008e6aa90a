//! Canvases: JSON with cards, after the JSON Canvas specification. A card names a file, or holds Markdown.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::links_in_markdown;
use crate::NotePath;
use crate::note::encoding::Encoding;
use crate::note::lines::Lines;
use crate::note::link::{Link, LinkForm, Writing};

/// The links of a canvas, in order; a problem when it is no JSON of a canvas.
pub(super) fn links(path: &NotePath, text: &str) -> Result<Vec<Link>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| format!("it is no canvas: {error}"))?;
    let lines = Lines::of(text);
    let mut found = Vec::new();
    for (key, span) in strings_of_nodes(text) {
        match key.as_str() {
            // The file of a card, and the picture behind a group.
            "file" | "background" => found.extend(path_link(text, span, &lines)),
            "text" => {
                let markdown = Encoding::Json.decode(text, span);
                found.extend(markdown.iter().flat_map(|markdown| links_in_markdown(path, markdown, &lines)));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// A list or an object that is open, with the key whose value comes.
enum OpenValue {
    List,
    Object(Option<String>),
}

/// The strings in the objects of the list `nodes`: their keys, and the bytes between their quotes. The text is JSON.
fn strings_of_nodes(text: &str) -> Vec<(String, Range<usize>)> {
    let (mut found, mut open, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(byte) = text.as_bytes().get(at) {
        at += 1;
        match byte {
            b'{' => open.push(OpenValue::Object(None)),
            b'[' => open.push(OpenValue::List),
            b'}' | b']' => drop(open.pop()),
            b',' => {
                if let Some(OpenValue::Object(key)) = open.last_mut() {
                    *key = None;
                }
            }
            b'"' => {
                let span = at..string_end(text, at);
                at = span.end + 1;
                match open.as_mut_slice() {
                    [OpenValue::Object(Some(list)), OpenValue::List, OpenValue::Object(Some(key))]
                        if list == "nodes" =>
                    {
                        found.push((key.clone(), span));
                    }
                    [.., OpenValue::Object(key @ None)] => {
                        *key = Some(Encoding::Json.decode(text, span).map(|key| key.text).unwrap_or_default());
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// Where the quote is that ends a string.
fn string_end(text: &str, start: usize) -> usize {
    let mut escape = false;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            _ if std::mem::take(&mut escape) => {}
            b'\\' => escape = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

fn path_link(text: &str, span: Range<usize>, lines: &Lines) -> Option<Link> {
    let target = Encoding::Json.decode(text, span.clone())?.text;
    (!target.is_empty()).then(|| Link {
        form: LinkForm::Path,
        embed: false,
        target,
        anchor: None,
        shown: None,
        in_frontmatter: false,
        line: lines.line_of(span.start),
        target_span: span.clone(),
        span,
        writing: Writing::Plain,
        encoding: Encoding::Json,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_pictures_and_markdown_are_found_where_they_are_written() {
        let text = r##"{ "nodes":[
	{"id":"1","type":"file","file":"dir\/It\u2019s.md","subpath":"#Part","x":1},
	{"id":"2","text":"See \"[[Old|o]]\"\nand [m](a%20b.md) `[[code]]`","type":"text"},
	{"id":"3","type":"group","background":"img/p.png"}, {"id":"4","type":"link","url":"https://a.b"}],
 "edges":[] }"##;
        let path = NotePath::of_file("a/Board.canvas").unwrap();
        let found = links(&path, text).unwrap();
        let shown: Vec<(&str, &str, usize)> =
            found.iter().map(|link| (link.target.as_str(), &text[link.target_span.clone()], link.line)).collect();
        assert_eq!(
            shown,
            [
                ("dir/It’s.md", r"dir\/It\u2019s.md", 2),
                ("Old", "Old", 3),
                ("a b.md", "a%20b.md", 3),
                ("img/p.png", "img/p.png", 4)
            ]
        );
        assert!(links(&path, "").unwrap().is_empty() && links(&path, "{}").unwrap().is_empty());
        for bad in ["{", "nodes", r#"{"nodes":[}"#] {
            assert!(links(&path, bad).is_err(), "{bad}");
        }
    }
}
