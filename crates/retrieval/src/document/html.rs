//! HTML: the article of a page, or its whole text where no article stands out.

mod attributes;
mod element_limit;
mod tags;
pub(super) mod walk;

use dom_smoothie::{Config, Readability, TextMode};
use html2text::render::TrivialDecorator;

use super::blocks::number;
use super::{Passage, markdown, plain};

/// An article that has less than this part of the page's text has lost too much of it.
const SMALLEST_SHARE: usize = 3;
/// Lines are not wrapped before this column.
const WIDTH: usize = 100_000;
/// So many spaces fill up a cell of a table.
const PADDING: &str = "        ";
/// Elements whose text no reader of a page sees.
const UNSEEN: &[&str] = &["head", "script", "style", "noscript", "template"];

/// Reads a page as Markdown, so that its headings count.
///
/// # Errors
/// Says why the page cannot be read.
pub(super) fn read(source: &str, size: usize) -> Result<(Option<String>, Vec<Passage>), String> {
    let page = bounded(source)?;
    let mut reader = Readability::new(
        page.as_str(),
        None,
        Some(Config { text_mode: TextMode::Markdown, disable_json_ld: true, ..Config::default() }),
    )
    .map_err(|error| error.to_string())?;
    let title = Some(reader.get_article_title().trim().to_owned()).filter(|title| !title.is_empty());
    let whole = visible_text(&reader);
    let mut passages = match reader.parse() {
        Ok(article) => markdown::read(&article.text_content, size).1,
        Err(_) => Vec::new(),
    };
    let found: usize = passages.iter().map(|passage| visible(&passage.text)).sum();
    if found * SMALLEST_SHARE < whole {
        passages = plain::read(&text_of(&page)?, size).1;
    }
    number(&mut passages);
    for passage in &mut passages {
        for heading in &mut passage.heading {
            // Documentation tools put a link to itself into a heading.
            *heading = heading.trim_matches(['§', '¶', '#', ' ']).to_owned();
        }
    }
    Ok((title, passages))
}

/// The text of a piece of HTML inside another document; nothing if it cannot be read.
pub(super) fn fragment(source: &str) -> String {
    let text = bounded(source).and_then(|page| text_of(&page)).unwrap_or_default();
    text.trim().to_owned()
}

/// A page that the parsers read in a time that its length bounds.
fn bounded(source: &str) -> Result<String, String> {
    let page = tags::prepare(&attributes::limit(source)?);
    element_limit::check(&page)?;
    Ok(page)
}

fn text_of(page: &str) -> Result<String, String> {
    html2text::config::with_decorator(TrivialDecorator::new())
        .no_table_borders()
        .string_from_read(page.as_bytes(), WIDTH)
        .map(|text| without_padding(&text))
        .map_err(|error| error.to_string())
}

/// A text whose cells of tables are not filled up with spaces: a page of an index would be nothing else. What a line begins
/// with stays.
fn without_padding(text: &str) -> String {
    let mut kept = String::with_capacity(text.len().min(1 << 20));
    for line in text.lines() {
        let (indent, words) = line.split_at(line.len() - line.trim_start().len());
        kept.push_str(indent);
        let mut rest = words.trim_end();
        while let Some(at) = rest.find(PADDING) {
            kept.push_str(&rest[..at]);
            kept.push_str("  ");
            rest = rest[at..].trim_start_matches(' ');
        }
        kept.push_str(rest);
        kept.push('\n');
    }
    kept
}

/// How many letters and signs of a page a reader sees.
fn visible_text(reader: &Readability) -> usize {
    let mut count = 0;
    let mut waiting = vec![reader.doc.root()];
    while let Some(node) = waiting.pop() {
        if node.is_text() {
            count += visible(&node.text());
        } else if !node.node_name().is_some_and(|name| UNSEEN.contains(&&*name)) {
            waiting.extend(node.children_it(false));
        }
    }
    count
}

/// How many letters and signs a text has.
fn visible(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_tables_are_not_filled_up() {
        let long = format!("<tr><td>{}</td><td>far</td></tr>", "word ".repeat(2_000));
        let rows: String = (0..500).map(|row| format!("<tr><td>key {row}</td><td>page {row}</td></tr>")).collect();
        let page = format!("<html><body><table>{long}{rows}</table><pre>if x:\n    y   =   1</pre></body></html>");
        let text = text_of(&page).unwrap();
        assert!(text.len() < 2 * page.len(), "{}", text.len());
        assert!(text.contains("key 499  page 499\n"), "{}", &text[text.len() - 200..]);
        assert!(text.contains("if x:\n    y   =   1\n"), "{}", &text[text.len() - 200..]);
    }
}
