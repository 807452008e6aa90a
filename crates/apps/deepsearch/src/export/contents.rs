//! The contents of a report: its chapters and their parts, as links.

use crate::markup::escape;
use crate::state::Locale;

/// The deepest level of a heading that the contents have: chapters are 2, their parts 3.
const DEEPEST: usize = 3;

/// A heading of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// 1 for the title.
    pub(super) level: usize,
    /// What links to it name.
    pub(super) id: String,
    /// Its words.
    pub(super) text: String,
}

/// The list of the headings below the title; nothing when there is only one.
pub(super) fn contents(headings: &[Heading], language: Locale) -> String {
    let listed: Vec<&Heading> =
        headings.iter().filter(|one| (2..=DEEPEST).contains(&one.level) && !one.text.trim().is_empty()).collect();
    if listed.len() < 2 {
        return String::new();
    }
    let items: String = listed
        .iter()
        .map(|one| {
            format!("<li class=\"l{}\"><a href=\"#{}\">{}</a></li>\n", one.level, one.id, escape(one.text.trim()))
        })
        .collect();
    let name = language.pick("目录", "Contents");
    format!("<nav class=\"contents\" aria-label=\"{name}\"><p>{name}</p><ul>\n{items}</ul></nav>\n")
}
