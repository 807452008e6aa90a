//! How each source fared, for the person.

use super::{EngineOutcome, EngineReport};

/// Notes of a source that are told.
const MOST_NOTES: usize = 3;

/// One line for each source over all of its reports: what it gave, and every way in which it failed.
pub fn source_lines(reports: &[EngineReport]) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for report in reports {
        if !names.contains(&report.engine.as_str()) {
            names.push(&report.engine);
        }
    }
    names
        .into_iter()
        .map(|name| line(&reports.iter().filter(|report| report.engine == name).collect::<Vec<_>>()))
        .collect()
}

/// The line of one source.
fn line(reports: &[&EngineReport]) -> String {
    let [first, rest @ ..] = reports else { return String::new() };
    if rest.is_empty() {
        return first.to_string();
    }
    let (mut records, mut answers) = (0, 0);
    let mut faults: Vec<(String, Vec<&str>)> = Vec::new();
    let mut notes: Vec<&str> = Vec::new();
    for report in reports {
        notes.extend(report.notes.iter().map(String::as_str));
        match &report.outcome {
            EngineOutcome::Found { pieces, .. } => (records, answers) = (records + pieces, answers + 1),
            EngineOutcome::Failed { fault } => {
                let fault = fault.to_string();
                match faults.iter_mut().find(|(known, _)| *known == fault) {
                    Some((_, queries)) => queries.push(&report.query),
                    None => faults.push((fault, vec![&report.query])),
                }
            }
            _ => answers += 1,
        }
    }
    let things = first.things();
    let thing = things.trim_end_matches('s');
    let mut parts = Vec::new();
    let all = reports.len();
    match (records, answers) {
        (_, 0) => {}
        (0, _) => parts.push(format!("has no {thing} for {answers} of {all} queries")),
        (1, _) => parts.push(format!("gave 1 {thing} for {answers} of {all} queries")),
        _ => parts.push(format!("gave {records} {things} for {answers} of {all} queries")),
    }
    for (fault, queries) in faults {
        let which = if queries.len() == all { String::new() } else { format!(" (for `{}`)", queries.join("`, `")) };
        parts.push(format!("{fault}{which}"));
    }
    let mut line = format!("{} {}.", first.shown_name(), parts.join("; it "));
    notes.sort_unstable();
    notes.dedup();
    for note in notes.iter().take(MOST_NOTES) {
        line.push_str(&format!(" ({note})"));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::research::Fault;

    #[test]
    fn every_source_and_every_failure_is_named() {
        let ok = |source: &str, query: &str, records| EngineReport::new(source, query, EngineOutcome::found(records));
        let failed =
            |source: &str, query: &str, fault| EngineReport::new(source, query, EngineOutcome::Failed { fault });
        let html = || Fault::Html { title: "Maintenance".to_owned() };
        let reports = [
            ok("openalex", "a", 3),
            failed("arxiv", "a", html()),
            EngineReport::new("crossref", "a", EngineOutcome::Empty),
            ok("openalex", "b", 2),
            failed("arxiv", "b", html()),
            failed("crossref", "b", Fault::TimedOut { seconds: 30 }),
        ];
        assert_eq!(
            source_lines(&reports),
            [
                "OpenAlex gave 5 records for 2 of 2 queries.",
                "arXiv answered with a web page instead of data (`Maintenance`); a proxy or a maintenance page may stand \
                 between.",
                "Crossref has no record for 1 of 2 queries; it did not answer within 30 s; try again later (for `b`).",
            ]
        );
        assert_eq!(source_lines(&reports[..1]), ["OpenAlex gave 3 records."]);
        assert!(source_lines(&[]).is_empty());
    }
}
