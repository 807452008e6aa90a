//! An outline without a model: a section for each part of the question. A model that answers inside a grammar makes titles that
//! its sections do not keep, and leaves parts out.

use graphloom_retrieval::answer::Request;

use super::raw::{RawOutline, RawSection};
use super::repair::RELATIONSHIPS;
use crate::state::Locale;

/// The outline of a question, with at most `most` sections. Where the question has more parts, sections share them. With
/// `dependencies` each section builds on the one before.
pub(crate) fn from_parts(query: &str, language: Locale, most: u32, dependencies: bool) -> RawOutline {
    let request = Request::of(query);
    let parts: Vec<&str> = request.parts().iter().map(|part| part.text.as_str()).collect();
    let count = parts.len().min(usize::try_from(most.max(1)).unwrap_or(usize::MAX)).max(1);
    let shared = (0..count).map(|at| &parts[at * parts.len() / count..(at + 1) * parts.len() / count]);
    let sections = (1..).zip(shared).map(|(number, parts): (usize, _)| {
        let named = parts.join("; ");
        let builds = dependencies && number > 1;
        RawSection {
            id: number.to_string(),
            // The only part is the question, which a section does not repeat.
            title: if count == 1 { language.pick("发现", "Findings").to_owned() } else { capital(&named) },
            description: if named.is_empty() { query.to_owned() } else { named },
            is_core_section: true,
            parent_ids: builds.then(|| (number - 1).to_string()).into_iter().collect(),
            relationships: builds.then(|| RELATIONSHIPS[1].to_owned()).into_iter().collect(),
        }
    });
    let thought = "A section for each part of the question.".to_owned();
    let language = language.as_str().to_owned();
    RawOutline { language, thought, title: request.text().to_owned(), sections: sections.collect() }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_section_or_shares_one() {
        let query =
            "How do Python, SQLite and PostgreSQL differ in what they promise about a transaction after a crash?";
        let titles = |most| {
            let outline = from_parts(query, Locale::English, most, true);
            outline.sections.into_iter().map(|section| section.title).collect::<Vec<_>>()
        };
        assert_eq!(titles(3), ["Python", "SQLite", "PostgreSQL"]);
        assert_eq!(titles(2), ["Python", "SQLite; PostgreSQL"]);
        let one = from_parts("Why is the sky blue?", Locale::English, 4, false);
        assert_eq!((one.sections.len(), one.sections[0].title.as_str()), (1, "Findings"));
        assert_eq!(from_parts("", Locale::Chinese, 4, false).sections[0].title, "发现");
    }
}
