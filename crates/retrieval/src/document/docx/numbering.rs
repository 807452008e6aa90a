//! The lists of a Word document and the numbers of their items.

use std::collections::BTreeMap;

use crate::document::UnreadReason;
use crate::document::xml::{self, Piece, attribute};

/// The most levels of a list (ECMA-376, part 1, section 17.9.6).
const LEVELS: usize = 9;

/// Where in which list a paragraph stands, as far as it is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The id of the list; `0` takes a paragraph out of lists.
    pub(super) list: Option<String>,
    /// 0 for the outermost.
    pub(super) level: Option<usize>,
}

/// A level of a list: a first number, or nothing for bullets.
type Level = Option<u64>;

/// The lists by their ids, and the last number of each level.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    lists: BTreeMap<String, String>,
    kinds: BTreeMap<String, [Level; LEVELS]>,
    last: BTreeMap<String, [Option<u64>; LEVELS]>,
}

impl Numbering {
    pub(super) fn read(source: &str) -> Result<Self, UnreadReason> {
        let mut numbering = Self::default();
        let (mut kind, mut list, mut level) = (None, None, 0);
        xml::read(source, |piece| {
            let Piece::Begin(start) = piece else { return };
            let value = attribute(start, "val");
            match start.local_name().as_ref() {
                "abstractNum" => {
                    let id = attribute(start, "abstractNumId").unwrap_or_default();
                    numbering.kinds.insert(id.clone(), [None; LEVELS]);
                    (kind, list) = (Some(id), None);
                }
                "num" => (kind, list) = (None, attribute(start, "numId")),
                "abstractNumId" => {
                    if let (Some(list), Some(kind)) = (&list, value) {
                        numbering.lists.insert(list.clone(), kind);
                    }
                }
                "lvl" => level = attribute(start, "ilvl").and_then(|level| level.parse().ok()).unwrap_or(LEVELS),
                "numFmt" => {
                    if let Some(own) = numbering.level(kind.as_ref(), level) {
                        *own = (!matches!(value.as_deref(), Some("bullet" | "none"))).then(|| own.unwrap_or(1));
                    }
                }
                "start" => {
                    let first = value.and_then(|first| first.parse().ok());
                    if let (Some(own), Some(first)) = (numbering.level(kind.as_ref(), level), first) {
                        *own = Some(first);
                    }
                }
                _ => {}
            }
        })?;
        Ok(numbering)
    }

    fn level(&mut self, kind: Option<&String>, level: usize) -> Option<&mut Level> {
        self.kinds.get_mut(kind?)?.get_mut(level)
    }

    /// What stands before the next item of a list, as Markdown writes it; nothing for a paragraph of no list.
    pub(super) fn marker(&mut self, place: &Place) -> Option<String> {
        let list = place.list.as_ref().filter(|list| *list != "0")?;
        let level = place.level.unwrap_or_default().min(LEVELS - 1);
        let first = self.lists.get(list).and_then(|kind| self.kinds.get(kind)).and_then(|levels| levels[level]);
        let Some(first) = first else { return Some("- ".to_owned()) };
        let last = self.last.entry(list.clone()).or_default();
        let number = last[level].map_or(first, |last| last.saturating_add(1));
        last[level] = Some(number);
        last[level + 1..].fill(None);
        Some(format!("{number}. "))
    }
}
