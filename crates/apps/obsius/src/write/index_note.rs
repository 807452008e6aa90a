//! The text of a note that lists others. What it lists comes from searches, never from a model's memory.

use std::collections::BTreeMap;

use graphloom_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::state::Found;
use crate::write::plain;

/// How the notes of a list are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// By the first part of their paths.
    Folder,
    /// By their first tag.
    Tag,
    /// Not at all.
    #[default]
    Flat,
}

impl Grouping {
    /// In words, for a model to choose.
    pub fn text(self) -> &'static str {
        match self {
            Self::Folder => "by folder",
            Self::Tag => "by first tag",
            Self::Flat => "in one list",
        }
    }
}

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The note.
    pub path: NotePath,
    /// Its title.
    pub title: String,
    /// A sentence about it; may be empty.
    pub about: String,
    /// Its tags.
    pub tags: Vec<String>,
}

impl IndexEntry {
    /// The entry of a found note; none when its path is none.
    pub fn of(found: &Found) -> Option<Self> {
        let path = NotePath::of_file(&found.path).ok()?;
        Some(Self { path, title: found.title.clone(), about: plain(&found.snippet), tags: found.tags.clone() })
    }

    fn group(&self, grouping: Grouping) -> String {
        match grouping {
            Grouping::Folder => self.path.folder().split('/').next().unwrap_or_default().to_owned(),
            Grouping::Tag => self.tags.first().cloned().unwrap_or_default(),
            Grouping::Flat => String::new(),
        }
    }
}

/// The groupings that divide these notes into a readable number of groups, none of them empty of sense; the flat one is
/// always there, and last.
pub fn groupings(entries: &[IndexEntry]) -> Vec<Grouping> {
    let divides = |grouping: &Grouping| {
        let groups: BTreeMap<String, usize> = entries.iter().fold(BTreeMap::new(), |mut groups, entry| {
            *groups.entry(entry.group(*grouping)).or_default() += 1;
            groups
        });
        groups.len() > 1 && groups.len() <= (entries.len() / 2).clamp(2, 20)
    };
    let mut ways: Vec<Grouping> = [Grouping::Folder, Grouping::Tag].into_iter().filter(divides).collect();
    ways.push(Grouping::Flat);
    ways
}

/// A wikilink to a note that resolves: its name where no other note has it, else its whole path.
pub fn link_to(path: &NotePath, title: &str, all: &[NotePath]) -> String {
    let name = path.name().to_lowercase();
    let same = all.iter().filter(|other| other.name().to_lowercase() == name).count();
    let target = if same > 1 { path.stem() } else { path.name() };
    if target.contains(['#', '|', '^', '[', ']']) {
        // Between brackets such a name would mean something else.
        let text = if title.trim().is_empty() { target.to_owned() } else { plain(title) };
        let path = path.as_str().replace('%', "%25").replace('#', "%23").replace('<', "%3C").replace('>', "%3E");
        return format!("[{text}](<{path}>)");
    }
    // A bar would end the shown text.
    let shown = plain(title).replace('|', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    if shown.is_empty() || shown == target { format!("[[{target}]]") } else { format!("[[{target}|{shown}]]") }
}

/// A line of a list.
pub fn entry_line(entry: &IndexEntry, all: &[NotePath]) -> String {
    let link = link_to(&entry.path, &entry.title, all);
    if entry.about.is_empty() { format!("- {link}") } else { format!("- {link}: {}", entry.about) }
}

/// The text of an index: what stands before the list, then the entries in their groups, each group under a heading.
pub fn index_text(intro: &str, entries: &[IndexEntry], grouping: Grouping, all: &[NotePath]) -> String {
    let mut groups: BTreeMap<String, Vec<&IndexEntry>> = BTreeMap::new();
    for entry in entries {
        groups.entry(entry.group(grouping)).or_default().push(entry);
    }
    let intro = intro.trim();
    let mut text = if intro.is_empty() { String::new() } else { format!("{intro}\n") };
    for (name, mut members) in groups {
        members.sort_by_key(|entry| entry.title.to_lowercase());
        if !text.is_empty() {
            text.push('\n');
        }
        if grouping != Grouping::Flat {
            let heading = plain(&name);
            text.push_str(&format!("## {}\n\n", if heading.is_empty() { "Others" } else { &heading }));
        }
        for entry in members {
            text.push_str(&entry_line(entry, all));
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, title: &str) -> IndexEntry {
        IndexEntry {
            path: NotePath::parse(path).unwrap(),
            title: title.to_owned(),
            about: "About it.".to_owned(),
            tags: Vec::new(),
        }
    }

    #[test]
    fn an_index_lists_every_entry_once_in_its_group() {
        let entries = [entry("b/One.md", "One"), entry("a/Two.md", "[Two] | x"), entry("a/Three.md", "Three")];
        let mut all: Vec<NotePath> = entries.iter().map(|entry| entry.path.clone()).collect();
        all.push(NotePath::parse("c/One.md").unwrap());
        let text = index_text("Intro.", &entries, Grouping::Folder, &all);
        assert_eq!(
            text,
            "Intro.\n\n## a\n\n- [[Two|Two x]]: About it.\n- [[Three]]: About it.\n\n## b\n\n- [[b/One|One]]: About it.\n"
        );
    }

    #[test]
    fn a_name_that_brackets_cannot_hold_is_linked_as_markdown() {
        let note = NotePath::of_file("a/C# notes.md").unwrap();
        let text = link_to(&note, "C# notes", std::slice::from_ref(&note));
        assert_eq!(text, "[C# notes](<a/C%23 notes.md>)");
        let what = NotePath::of_file("What is it?.md").unwrap();
        assert_eq!(link_to(&what, "A | B", std::slice::from_ref(&what)), "[[What is it?|A B]]");
    }

    #[test]
    fn only_groupings_that_divide_are_offered() {
        let of = |paths: &[&str]| {
            let entries: Vec<IndexEntry> = paths.iter().map(|path| entry(path, "t")).collect();
            groupings(&entries)
        };
        assert_eq!(of(&["a/1.md", "a/2.md", "b/3.md", "b/4.md"]), [Grouping::Folder, Grouping::Flat]);
        assert_eq!(of(&["1.md", "2.md", "3.md"]), [Grouping::Flat]);
        assert_eq!(of(&["a/1.md", "b/2.md", "c/3.md"]), [Grouping::Flat]);
        assert_eq!(of(&[]), [Grouping::Flat]);
    }
}
