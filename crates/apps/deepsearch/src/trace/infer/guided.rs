//! The reasons of a conclusion without a model: the cited statements of the section.

use graphloom_citations::best_overlap;

use super::provenance::{Provenance, RawStep, Relation};
use super::sections::{Chapter, STOPS};
use crate::state::Locale;

/// The most statements in the graph.
const MOST: usize = 8;

/// The inference in words, and the graph of its steps.
pub(super) fn graph(chapter: &Chapter<'_>, conclusion: &str, language: Locale) -> (String, Provenance) {
    let (inference, steps) = of_citations(chapter, conclusion, language);
    (inference, Provenance::build(conclusion, &chapter.records(), &steps))
}

/// The inference in words, and its steps: a step from the citations to each statement, and a step from all statements
/// to the conclusion. Statements that share more wording with the conclusion come first.
pub(super) fn of_citations(chapter: &Chapter<'_>, conclusion: &str, language: Locale) -> (String, Vec<RawStep>) {
    let mut statements: Vec<(f32, &str, Vec<u32>)> = Vec::new();
    for citation in &chapter.citations {
        match statements.iter_mut().find(|(_, text, _)| *text == citation.chunk) {
            Some((.., numbers)) if !numbers.contains(&citation.reference_index) => {
                numbers.push(citation.reference_index);
            }
            Some(_) => {}
            None => {
                let shared = best_overlap(conclusion, &citation.chunk).map_or(0.0, |(_, overlap)| overlap);
                statements.push((shared, &citation.chunk, vec![citation.reference_index]));
            }
        }
    }
    statements.sort_by(|a, b| b.0.total_cmp(&a.0));
    statements.truncate(MOST);
    let mut steps = Vec::new();
    let mut lines = Vec::new();
    let mut heads = Vec::new();
    for (_, text, numbers) in &statements {
        let records: Vec<String> = numbers.iter().map(|number| format!("《{number}》")).collect();
        lines.push(format!("{} {text}", records.concat()));
        if text.trim_end_matches(STOPS) == conclusion.trim_end_matches(STOPS) {
            steps.push(RawStep::new(records, Relation::Refer, conclusion));
            continue;
        }
        steps.push(RawStep::new(records, Relation::Refer, *text));
        heads.push((*text).to_owned());
    }
    if !heads.is_empty() {
        steps.push(RawStep::new(heads, Relation::Infer, conclusion));
    }
    let lead = language.pick("该结论所在章节的依据：", "The section rests on:");
    (format!("{lead}\n{}", lines.join("\n")), steps)
}
