//! Numbers: sections are 1 to n, whatever they were called.

use super::{RawOutline, RawSection, repair};
use crate::state::{Outline, Section};

/// The outline that was meant, and what had to be mended. Sections are numbered 1 to n in their order; parents follow
/// the numbers. Without `dependencies` there are no parents; with them they are checked and repaired, so that every
/// parent's number is smaller than its child's.
///
/// # Errors
/// What is missing, in words for whoever wrote it: no sections, or one without title or description.
pub fn outline_of(
    raw: RawOutline,
    most_sections: u32,
    dependencies: bool,
    query: &str,
) -> Result<(Outline, Vec<String>), String> {
    let mut notes = Vec::new();
    let mut written = raw.sections;
    if written.is_empty() {
        return Err("the outline has no sections".into());
    }
    for (number, section) in (1..).zip(&written) {
        for (field, text) in [("title", &section.title), ("description", &section.description)] {
            if text.trim().is_empty() {
                return Err(format!("section {number} has no `{field}`"));
            }
        }
    }
    let most = usize::try_from(most_sections.max(1)).unwrap_or(usize::MAX);
    if written.len() > most {
        notes.push(format!("the outline had {} sections; the first {most} were taken", written.len()));
        written.truncate(most);
    }
    let names: Vec<String> = written.iter().map(name_of).collect();
    let number_of = |name: &str| names.iter().position(|known| known == name.trim()).map(|at| (at + 1).to_string());
    let mut sections = Vec::with_capacity(written.len());
    for (number, section) in (1..).zip(&written) {
        let mut made = Section {
            id: number.to_string(),
            title: one_line(&section.title),
            description: section.description.trim().to_owned(),
            is_core_section: section.is_core_section,
            ..Section::default()
        };
        if dependencies {
            // An unknown name stays, so that the checks see it.
            made.parent_ids = section
                .parent_ids
                .iter()
                .map(|parent| number_of(parent).unwrap_or_else(|| format!("?{}", parent.trim())))
                .collect();
            made.relationships.clone_from(&section.relationships);
        }
        sections.push(made);
    }
    if dependencies {
        notes.extend(repair(&mut sections));
    }
    let title = one_line(&raw.title);
    let title = if title.is_empty() { one_line(query) } else { title };
    let outline = Outline {
        id: String::new(),
        language: raw.language.trim().to_owned(),
        thought: raw.thought.trim().to_owned(),
        title,
        sections,
    };
    Ok((outline, notes))
}

/// What others call a section: its id; where it has none, nothing can name it.
fn name_of(section: &RawSection) -> String {
    section.id.trim().to_owned()
}

/// A title is one line without the marks of a heading.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_start_matches('#').trim().to_owned()
}
