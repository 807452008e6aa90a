//! Ending what a text leaves open.

use std::fmt;

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::math::displays;
use super::tags::open_html;
use super::{parser, prefix_of};

/// A word that is put behind a text to see where it lands.
const PROBE: &str = "probe";

/// What a text leaves open at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Open {
    /// A block of code.
    Code,
    /// A formula.
    Math,
    /// A comment, a declaration, or a tag that is not whole.
    Tag,
    /// An element of HTML, by its name.
    Element(String),
}

impl fmt::Display for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code => f.write_str("a block of code"),
            Self::Math => f.write_str("a formula"),
            Self::Tag => f.write_str("a comment or a tag"),
            Self::Element(name) => write!(f, "`<{name}>`"),
        }
    }
}

/// A text in which nothing is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Closed {
    /// The text. It is as it was when nothing was open, and else ends with what was missing.
    pub text: String,
    /// What was open, in the order in which it was closed.
    pub open: Vec<Open>,
}

impl Closed {
    /// What was open in a few words; none when nothing was.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let open: Vec<String> = self.open.iter().map(ToString::to_string).collect();
        (!open.is_empty()).then(|| format!("the text ended inside of {}, which was closed", open.join(", ")))
    }
}

/// Ends what a text leaves open at its end: blocks of code with as many signs as they were opened with, formulas, comments,
/// and elements of HTML. All else stays to the byte.
///
/// ````
/// use graphloom_text::markdown::{Open, close};
///
/// let closed = close("> ````py\n> x = [\n");
/// assert_eq!((closed.text.as_str(), &closed.open[..]), ("> ````py\n> x = [\n> ````", &[Open::Code][..]));
/// assert_eq!(close("<details>\n\nMore.").text, "<details>\n\nMore.\n\n</details>");
/// assert_eq!(close("It `is`.\n").text, "It `is`.\n");
/// ````
#[must_use]
pub fn close(text: &str) -> Closed {
    let mut closed = Closed { text: text.to_owned(), open: Vec::new() };
    if let Some((lines, open)) = open_block(&closed.text) {
        put(&mut closed.text, &lines);
        closed.open.push(open);
    }
    if let Some(last) = displays(&closed.text).pop()
        && let Some(missing) = last.missing
    {
        put(&mut closed.text, &missing.iter().map(|line| format!("{}{line}", last.prefix)).collect::<Vec<_>>());
        closed.open.push(Open::Math);
    }
    let cut = open_html(&closed.text).cut;
    if !cut.is_empty() {
        put(&mut closed.text, &[cut]);
        closed.open.push(Open::Tag);
    }
    let elements = open_html(&closed.text).elements;
    if !elements.is_empty() {
        let ends: Vec<String> = elements.iter().rev().map(|name| format!("</{name}>")).collect();
        closed.text.truncate(closed.text.trim_end().len());
        closed.text.push_str("\n\n");
        closed.text.push_str(&ends.join("\n"));
        closed.open.extend(elements.into_iter().rev().map(Open::Element));
    }
    closed
}

/// Puts lines behind a text.
fn put(text: &mut String, lines: &[String]) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&lines.join("\n"));
}

/// The lines that end the block in which a text stops, if what follows would belong to it.
fn open_block(text: &str) -> Option<(Vec<String>, Open)> {
    let mut last = None;
    for (event, range) in parser(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => last = Some((range, true)),
            Event::Start(Tag::HtmlBlock) => last = Some((range, false)),
            _ => {}
        }
    }
    let (range, is_code) = last?;
    let start = range.start + text[range.clone()].len() - text[range.clone()].trim_start().len();
    let prefix = prefix_of(text, start);
    if !holds(text, &prefix, is_code, start) {
        return None;
    }
    let block = &text[start..];
    if is_code {
        let sign = block.chars().next()?;
        let fence: String = block.chars().take_while(|c| *c == sign).collect();
        return Some((vec![format!("{prefix}{fence}")], Open::Code));
    }
    let end = if block.starts_with("<!--") {
        "-->".to_owned()
    } else if block.starts_with("<?") {
        "?>".to_owned()
    } else if block.starts_with("<![CDATA[") {
        "]]>".to_owned()
    } else if block.starts_with("<!") {
        ">".to_owned()
    } else {
        let html = open_html(text);
        let name: String =
            block[1..].chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        let from = html.elements.iter().rposition(|one| *one == name);
        let inner = from.map_or(&[][..], |from| &html.elements[from..]);
        let ends: String = inner.iter().rev().map(|name| format!("</{name}>")).collect();
        let ends = if ends.is_empty() { format!("</{name}>") } else { ends };
        let begin = if html.cut.is_empty() { prefix } else { html.cut };
        return Some((vec![begin + &ends], Open::Element(name)));
    };
    Some((vec![format!("{prefix}{end}")], Open::Tag))
}

/// Whether a word behind a text, with an empty line between, lands in the block that begins at `start`.
fn holds(text: &str, prefix: &str, is_code: bool, start: usize) -> bool {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    let probed = format!("{lines}\n{}\n{prefix}{PROBE}", prefix.trim_end());
    let at = probed.len() - PROBE.len();
    parser(&probed).into_offset_iter().any(|(event, range)| {
        let same = match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => is_code,
            Event::Start(Tag::HtmlBlock) => !is_code,
            _ => false,
        };
        same && range.start <= start && range.contains(&at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_closed_where_the_text_ends() {
        for (text, end) in [
            ("a\n\n```\ncode", "\n```"),
            ("a\n\n~~~~ c\ncode\n", "~~~~"),
            ("````\n```\ncode\n```", "\n````"),
            ("```\ncode\n```", ""),
            ("```\n    ```", "\n```"),
            ("```", "\n```"),
            ("- a\n\n  ```\n  code", "\n  ```"),
            ("- ```\n  code", "\n  ```"),
            ("> 1. ~~~\n>    code", "\n>    ~~~"),
            ("> ```\n> code\n\nmore", ""),
            ("plain `code", ""),
            ("a\n\n$$\nE = m", "\n$$"),
            ("\\[\n\\begin{aligned}\na &= b \\\\[2pt]", "\n\\end{aligned}\n\\]"),
            ("$$\na\n$$", ""),
            ("<!-- a", "\n-->"),
            ("> <!-- a", "\n> -->"),
            ("<pre><code>a\n\nb", "\n</code></pre>"),
            ("<details>\n<summary>a", "\n\n</summary>\n</details>"),
            ("<details>\n\n```\nx", "\n```\n\n</details>"),
            ("<div class=\"a", "\n\">\n\n</div>"),
            ("<table>\n<tr><td>a", "\n\n</td>\n</tr>\n</table>"),
            ("| a | b |\n|--", ""),
            ("- a\n- b", ""),
            ("a <b>c", "\n\n</b>"),
        ] {
            let closed = close(text);
            assert_eq!(closed.text, format!("{text}{end}"), "{text:?}");
            assert_eq!(closed.open.is_empty(), end.is_empty(), "{text:?}");
            assert_eq!(closed.told().is_some(), !end.is_empty(), "{text:?}");
            assert_eq!(close(&closed.text), Closed { text: closed.text.clone(), open: Vec::new() }, "{text:?}");
        }
    }
}
