//! The proposal and its references for people and for other programs.

use std::fmt::Write as _;

use graphloom_retrieval::literature::export as references;
use serde_json::{Value, json};

use crate::research::{LOCAL, Record};
use crate::session::{Proposal, Reference, Session};

/// A proposal as Markdown, with its references, the sources that were searched, and its notes.
pub fn markdown(proposal: &Proposal) -> String {
    proposal_text(proposal, false)
}

/// A proposal as Markdown whose sections have the numbers that edits name.
pub(crate) fn numbered(proposal: &Proposal) -> String {
    proposal_text(proposal, true)
}

/// The proposal of a session as JSON, with its topic, version, approval, the queries that were asked and how each source
/// answered them; none without a proposal.
pub fn json(session: &Session) -> Option<Value> {
    let artifacts = &session.artifacts;
    let proposal = artifacts.proposal.as_ref()?;
    Some(json!({
        "topic": session.topic,
        "version": proposal.version,
        "approved": session.approvals.proposal == Some(proposal.version),
        "proposal": portable(&proposal.value),
        "queries": artifacts.queries.as_ref().map(|queries| &queries.value),
        "gap": artifacts.gap.as_ref().map(|gap| &gap.value),
        "searches": artifacts.review.as_ref().map(|review| &review.value.sources),
    }))
}

/// The references of a proposal as BibTeX, in the order of their numbers.
pub fn bibtex(proposal: &Proposal) -> String {
    references::bibtex(&records(proposal))
}

/// The references of a proposal as CSL-JSON, in the order of their numbers.
pub fn csl_json(proposal: &Proposal) -> Value {
    references::csl_json(&records(proposal))
}

fn records(proposal: &Proposal) -> Vec<Record> {
    portable(proposal).references.into_iter().map(|reference| reference.record).collect()
}

/// A proposal for other machines. A document of one's own has no address there, and the passages that were read of it are
/// no abstract. The text of an open copy stays here, for it has a licence of its own; its address goes along.
fn portable(proposal: &Proposal) -> Proposal {
    let mut proposal = proposal.clone();
    for Reference { record, .. } in &mut proposal.references {
        if record.provenance.iter().any(|place| place.source == LOCAL) {
            record.abstract_text = None;
        }
        record.url = record.url.take().map(|url| without_machine(&url));
        if let Some(copy) = &mut record.full_text {
            copy.text.clear();
        }
        for place in record.provenance.iter_mut().filter(|place| place.source == LOCAL) {
            place.id = without_machine(&place.id);
        }
    }
    proposal
}

/// The last two parts of an absolute path, which an older program kept; anything else as it is.
fn without_machine(place: &str) -> String {
    let drive = place.as_bytes().get(1) == Some(&b':') && !place.contains("://");
    if !place.starts_with(['/', '\\']) && !drive {
        return place.to_owned();
    }
    let parts: Vec<&str> = place.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}

fn proposal_text(proposal: &Proposal, numbers: bool) -> String {
    let proposal = &portable(proposal);
    let mut text = format!("# {}\n", proposal.title);
    for (at, section) in proposal.sections.iter().enumerate() {
        let number = if numbers { format!("{}. ", at + 1) } else { String::new() };
        let _ = write!(text, "\n## {number}{}\n\n{}\n", section.heading, section.text);
    }
    let mut list = |heading: &str, lines: &[String]| {
        if !lines.is_empty() {
            let _ = write!(text, "\n## {heading}\n\n{}\n", lines.join("\n"));
        }
    };
    let bullets = |lines: &[String]| lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>();
    list("References", &proposal.references.iter().map(reference).collect::<Vec<_>>());
    list("Sources searched", &bullets(&proposal.sources));
    list("Notes", &bullets(&proposal.notes));
    text
}

fn reference(reference: &Reference) -> String {
    let record = &reference.record;
    let mut parts = Vec::new();
    if !record.authors.is_empty() {
        let names: Vec<&str> = record.authors.iter().map(|author| author.name.as_str()).collect();
        parts.push(names.join(", "));
    }
    parts.push(record.title.trim_end_matches('.').to_owned());
    parts.extend(record.venue.clone());
    parts.extend(record.year.map(|year| year.to_string()));
    parts.extend(record.address());
    parts.extend(record.full_text.as_ref().map(|copy| format!("Read at {}", copy.url)));
    // What a source of literature does not know is left out; one's own document can be mended.
    if record.provenance.iter().any(|found| found.source == LOCAL) {
        let blanks = [("author", record.authors.is_empty()), ("year", record.year.is_none())];
        let blanks: Vec<&str> = blanks.iter().filter(|(_, blank)| *blank).map(|(name, _)| *name).collect();
        if !blanks.is_empty() {
            parts.push(format!("[to fill in: {}]", blanks.join(", ")));
        }
    }
    let retracted = if record.retracted { " (retracted)" } else { "" };
    format!("{}. {}{retracted}", reference.number, parts.join(". "))
}

#[cfg(test)]
mod tests {
    use graphloom_retrieval::literature::{Author, CopyText, Doi};

    use super::*;
    use crate::actions::Action;
    use crate::research::Provenance;
    use crate::session::{Artifact, Section};

    fn proposal() -> Proposal {
        let mut record = Record::new("On the tides.");
        record.authors.extend(Author::displayed("Ann Lee"));
        record.doi = Doi::parse("10.1000/A");
        record.year = Some(2020);
        record.retracted = true;
        Proposal {
            title: "T".to_owned(),
            sections: vec![Section { heading: "Gap".to_owned(), text: "Open [1].".to_owned() }],
            references: vec![Reference { number: 1, record: record.identified() }],
            notes: vec!["A note.".to_owned()],
            sources: vec!["OpenAlex gave 1 record.".to_owned()],
        }
    }

    #[test]
    fn markdown_has_references_sources_and_notes() {
        assert_eq!(
            markdown(&proposal()),
            "# T\n\n## Gap\n\nOpen [1].\n\n## References\n\n1. Ann Lee. On the tides. 2020. https://doi.org/10.1000/a \
             (retracted)\n\n## Sources searched\n\n- OpenAlex gave 1 record.\n\n## Notes\n\n- A note.\n"
        );
        assert!(numbered(&proposal()).contains("## 1. Gap"));
    }

    #[test]
    fn what_a_document_does_not_say_of_itself_is_a_named_blank() {
        let mut local = Record::new("On neaps");
        local.provenance = vec![Provenance::new(LOCAL, "papers/neaps.md", "neaps", 1)];
        assert_eq!(
            reference(&Reference { number: 1, record: local.clone() }),
            "1. On neaps. [to fill in: author, year]"
        );
        local.year = Some(2021);
        local.authors.extend(Author::displayed("Ann Lee"));
        assert_eq!(reference(&Reference { number: 1, record: local }), "1. Ann Lee. On neaps. 2021");
    }

    #[test]
    fn no_export_carries_a_path_of_the_machine() {
        let mut local = Record::new("On neaps");
        local.url = Some("/home/ann/papers/neaps.md".to_owned());
        local.abstract_text = Some("A passage.\n\nAnother passage.".to_owned());
        local.provenance = vec![Provenance::new(LOCAL, "/home/ann/papers/neaps.md", "neaps", 1)];
        let mut proposal = proposal();
        proposal.references.push(Reference { number: 2, record: local });
        let mut session = Session::new("c1");
        let written = (markdown(&proposal), bibtex(&proposal), csl_json(&proposal).to_string());
        session.artifacts.proposal = Some(Artifact::new(1, Action::WriteProposal, 0, proposal));
        let json = json(&session).unwrap_or_default().to_string();
        for text in [written.0, written.1, written.2, json] {
            assert!(text.contains("papers/neaps.md") && !text.contains("/home"), "{text}");
            assert!(!text.contains("A passage"), "{text}");
        }
    }

    #[test]
    fn of_an_open_copy_the_address_is_exported_and_the_abstract_stays_what_it_is() {
        let mut proposal = proposal();
        let record = &mut proposal.references[0].record;
        record.abstract_text = Some("The abstract.".to_owned());
        record.full_text = Some(CopyText::new("https://a.example/copy", "A paragraph of the copy.", "0a"));
        assert_eq!(crate::research::text_of(record), "A paragraph of the copy.");
        let mut session = Session::new("c1");
        let written = markdown(&proposal);
        assert!(written.contains("https://doi.org/10.1000/a. Read at https://a.example/copy"), "{written}");
        let references = [bibtex(&proposal), csl_json(&proposal).to_string()];
        session.artifacts.proposal = Some(Artifact::new(1, Action::WriteProposal, 0, proposal));
        let json = json(&session).unwrap_or_default().to_string();
        assert!(json.contains("https://a.example/copy"), "{json}");
        for text in references.iter().chain([&json]) {
            assert!(text.contains("The abstract.") && !text.contains("A paragraph"), "{text}");
        }
    }

    #[test]
    fn references_are_for_other_programs() {
        assert!(bibtex(&proposal()).starts_with("@misc{lee2020tides,"), "{}", bibtex(&proposal()));
        assert_eq!(csl_json(&proposal())[0]["DOI"], "10.1000/a");
        assert_eq!(json(&Session::new("c1")), None);
    }
}
