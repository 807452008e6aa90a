//! The styles of a Word document, as far as they say what a paragraph is.

use std::collections::BTreeMap;

use quick_xml::events::BytesStart;

use super::numbering::Place;
use crate::document::UnreadReason;
use crate::document::xml::{self, Piece, attribute};

/// How far a style is looked for in the styles that it is based on.
const LONGEST_CHAIN: usize = 16;

/// What a style says of a paragraph or of letters.
#[derive(Clone, Debug, Default)]
struct Style {
    based_on: Option<String>,
    title: bool,
    /// The level of a heading, 1 for the outermost.
    level: Option<u8>,
    place: Place,
    hidden: Option<bool>,
}

/// The styles by their ids.
#[derive(Debug, Default)]
pub(super) struct Styles(BTreeMap<String, Style>);

impl Styles {
    pub(super) fn read(source: &str) -> Result<Self, UnreadReason> {
        let mut styles = Self::default();
        let mut open: Option<(String, Style)> = None;
        xml::read(source, |piece| match piece {
            Piece::Begin(start) => match (start.local_name().as_ref(), &mut open) {
                ("style", _) => open = Some((attribute(start, "styleId").unwrap_or_default(), Style::default())),
                (name, Some((_, style))) => style.take(name, start),
                _ => {}
            },
            Piece::End("style") => styles.0.extend(open.take()),
            Piece::End(_) | Piece::Text(_) => {}
        })?;
        Ok(styles)
    }

    /// The first answer of a style or of those that it is based on.
    fn find<T>(&self, id: &str, answer: impl Fn(&Style) -> Option<T>) -> Option<T> {
        let first = self.0.get(id);
        let chain = std::iter::successors(first, |style| self.0.get(style.based_on.as_ref()?));
        chain.take(LONGEST_CHAIN).find_map(answer)
    }

    /// The level of a heading, 1 for the outermost.
    pub(super) fn level(&self, id: &str) -> Option<u8> {
        self.find(id, |style| style.level)
    }

    /// Whether a paragraph is the title of the document.
    pub(super) fn is_title(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|style| style.title)
    }

    /// Where in which list a paragraph stands.
    pub(super) fn place(&self, id: &str) -> Place {
        let list = self.find(id, |style| style.place.list.clone());
        Place { list, level: self.find(id, |style| style.place.level) }
    }

    /// Whether letters are hidden.
    pub(super) fn is_hidden(&self, id: &str) -> bool {
        self.find(id, |style| style.hidden).unwrap_or_default()
    }
}

impl Style {
    fn take(&mut self, name: &str, start: &BytesStart<'_>) {
        let value = attribute(start, "val");
        match name {
            "basedOn" => self.based_on = value,
            "name" => {
                // The names of built-in styles are English in every language of Word.
                let name = value.unwrap_or_default().to_lowercase();
                self.title = name == "title";
                self.level = name.strip_prefix("heading ").and_then(|level| level.parse().ok()).or(self.level);
            }
            "outlineLvl" => self.level = outline_level(value.as_deref()).or(self.level),
            "numId" => self.place.list = value,
            "ilvl" => self.place.level = value.and_then(|level| level.parse().ok()),
            "vanish" => self.hidden = Some(is_on(value.as_deref())),
            _ => {}
        }
    }
}

/// The level of a heading by its outline level, which counts from 0; 9 is body text.
pub(super) fn outline_level(value: Option<&str>) -> Option<u8> {
    value?.parse::<u8>().ok().filter(|level| *level < 9).map(|level| level + 1)
}

/// Whether a property is on (ECMA-376, part 1, section 17.17.4).
pub(super) fn is_on(value: Option<&str>) -> bool {
    !matches!(value, Some("0" | "false" | "off"))
}
