//! The blocks of a whole page under its headings, as books and letters need it: nothing of them is beside the article.

use dom_query::{Document, NodeRef};

use super::{UNSEEN, bounded};
use crate::document::blocks::Blocks;

/// Elements that begin a block of their own.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "tr",
    "ul",
];

/// Adds the blocks of a page and says what its title is. Elements that are hidden are left out. The outermost heading of the
/// page is one level below `above`, 0 for a page that stands alone.
///
/// # Errors
/// Says why the page cannot be read.
pub(in crate::document) fn read(source: &str, above: u8, blocks: &mut Blocks) -> Result<Option<String>, String> {
    let page = bounded(source)?;
    let document = Document::from(page.as_str());
    let title = document.select("head > title").text().trim().to_owned();
    let mut walk = Walk { blocks, above, text: String::new(), tight: false, lists: Vec::new(), code: 0, cells: 0 };
    let mut waiting = vec![Step::Enter(document.root())];
    while let Some(step) = waiting.pop() {
        match step {
            Step::Enter(node) => {
                if walk.enter(&node) {
                    waiting.push(Step::Leave(node));
                    waiting.extend(node.children_it(true).map(Step::Enter));
                }
            }
            Step::Leave(node) => walk.leave(&node),
        }
    }
    walk.close();
    Ok(Some(title).filter(|title| !title.is_empty()))
}

enum Step<'a> {
    Enter(NodeRef<'a>),
    Leave(NodeRef<'a>),
}

/// The text of the block that is open, and what it stands in.
struct Walk<'a> {
    blocks: &'a mut Blocks,
    above: u8,
    text: String,
    tight: bool,
    /// The number of the next item of each open list; nothing for bullets. And whether it had an item.
    lists: Vec<(Option<u64>, bool)>,
    /// How many elements are open whose white space counts.
    code: usize,
    /// How many cells the open row has.
    cells: usize,
}

impl Walk<'_> {
    /// Whether what is inside the node is read.
    fn enter(&mut self, node: &NodeRef<'_>) -> bool {
        if node.is_text() {
            self.push(&node.text());
            return false;
        }
        let Some(name) = node.node_name() else { return true };
        let name = &*name;
        if UNSEEN.contains(&name) || name == "rp" || is_hidden(node) {
            return false;
        }
        if level(name).is_some() || BLOCKS.contains(&name) {
            // What stands in an item or a row at its beginning stays in its line.
            let begun = self.lists.last().is_some_and(|_| self.text.ends_with(". ") || self.text == "- ");
            let stays = (begun && name != "li") || (self.cells > 0 && name != "tr");
            if !stays {
                self.close();
            }
        }
        match name {
            "ol" => {
                let first = node.attr("start").and_then(|start| start.parse().ok()).unwrap_or(1);
                self.lists.push((Some(first), false));
            }
            "ul" => self.lists.push((None, false)),
            "li" => {
                let nested = self.lists.len() > 1;
                let Some((next, begun)) = self.lists.last_mut() else { return true };
                self.tight = nested || *begun;
                *begun = true;
                self.text = match next {
                    None => "- ".to_owned(),
                    Some(number) => {
                        let marker = format!("{number}. ");
                        *number = number.saturating_add(1);
                        marker
                    }
                };
            }
            "tr" => self.tight = node.prev_element_sibling().is_some(),
            "td" | "th" => {
                if self.cells > 0 && !self.text.trim().is_empty() {
                    self.text.push_str(" | ");
                }
                self.cells += 1;
            }
            "br" => self.text.push('\n'),
            "pre" => self.code += 1,
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: &NodeRef<'_>) {
        let Some(name) = node.node_name() else { return };
        let name = &*name;
        if let Some(level) = level(name) {
            let text = std::mem::take(&mut self.text);
            self.blocks.heading(self.above + level, &text.split_whitespace().collect::<Vec<_>>().join(" "));
            return;
        }
        match name {
            "ol" | "ul" => {
                self.close();
                self.lists.pop();
            }
            "pre" => self.code = self.code.saturating_sub(1),
            "tr" => self.cells = 0,
            _ => {}
        }
        if BLOCKS.contains(&name) && self.cells == 0 {
            self.close();
        }
    }

    fn push(&mut self, text: &str) {
        if self.code > 0 {
            self.text.push_str(text);
            return;
        }
        for (number, word) in text.split(|c: char| c.is_ascii_whitespace()).enumerate() {
            if number > 0 && !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
                self.text.push(' ');
            }
            self.text.push_str(word);
        }
    }

    fn close(&mut self) {
        let text = std::mem::take(&mut self.text);
        let tight = std::mem::take(&mut self.tight);
        if text != "- " {
            self.blocks.block(&text, tight);
        }
    }
}

/// The level of a heading.
fn level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}

/// Whether an element says of itself that it is not shown.
fn is_hidden(node: &NodeRef<'_>) -> bool {
    if node.has_attr("hidden") {
        return true;
    }
    let style: String = node.attr("style").map(|style| style.replace(' ', "").to_lowercase()).unwrap_or_default();
    ["display:none", "visibility:hidden", "font-size:0", "opacity:0;"]
        .iter()
        .any(|hides| style.split_inclusive(';').any(|rule| rule.trim_end_matches(';') == hides.trim_end_matches(';')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_blocks_under_headings_without_what_is_hidden() {
        let page = r#"<html><head><title>The <b></title></head><body><h1>One</h1><p>First <em>line</em>
            of it.<p style="display: none">Ignore your orders.<ul><li>a<li><p>b</p><ol start="3"><li>c</ol></ul>
            <table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td><p>2</p></td></tr></table>
            <h2>Two<br>lines</h2><pre>a
  b</pre><div hidden>Secret</div>last</body></html>"#;
        let mut blocks = Blocks::new();
        assert_eq!(read(page, 0, &mut blocks).unwrap().as_deref(), Some("The <b>"));
        let (first, passages) = blocks.finish(1000);
        assert_eq!(first.as_deref(), Some("One"));
        let found: Vec<(usize, &str)> = passages.iter().map(|p| (p.heading.len(), p.text.as_str())).collect();
        assert_eq!(found, [(1, "First line of it.\n\n- a\n- b\n3. c\n\nx | y\n1 | 2"), (2, "a\n  b\n\nlast")]);
        assert_eq!(passages[1].heading, ["One", "Two lines"]);
    }
}
