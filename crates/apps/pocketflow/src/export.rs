//! Proposals as Markdown.

use std::fmt::Write as _;

use crate::session::Proposal;

/// A proposal as Markdown, with its references and notes.
pub fn markdown(proposal: &Proposal) -> String {
    written(proposal, false)
}

/// A proposal as Markdown whose sections have the numbers that edits name.
pub(crate) fn numbered(proposal: &Proposal) -> String {
    written(proposal, true)
}

fn written(proposal: &Proposal, numbers: bool) -> String {
    let mut text = format!("# {}\n", proposal.title);
    for (at, section) in proposal.sections.iter().enumerate() {
        let number = if numbers { format!("{}. ", at + 1) } else { String::new() };
        let _ = write!(text, "\n## {number}{}\n\n{}\n", section.heading, section.text);
    }
    if !proposal.references.is_empty() {
        text.push_str("\n## References\n\n");
    }
    for reference in &proposal.references {
        let record = &reference.record;
        let mut parts = Vec::new();
        if !record.authors.is_empty() {
            parts.push(record.authors.join(", "));
        }
        parts.push(record.title.clone());
        parts.extend(record.venue.clone());
        parts.extend(record.year.map(|year| year.to_string()));
        parts.extend(record.doi.as_ref().map(|doi| format!("https://doi.org/{doi}")));
        if record.doi.is_none() && !record.place.is_empty() {
            parts.push(record.place.clone());
        }
        let _ = writeln!(text, "{}. {}", reference.number, parts.join(". "));
    }
    if !proposal.notes.is_empty() {
        text.push_str("\n## Notes\n\n");
    }
    for note in &proposal.notes {
        let _ = writeln!(text, "- {note}");
    }
    text
}
