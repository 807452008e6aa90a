//! What becomes of good answers with all their oddities.

use graphloom_retrieval::EngineOutcome;
use graphloom_retrieval::literature::{Author, Record, RecordKind};

use super::hosts::{good_host, report};

fn find<'a>(records: &'a [Record], title: &str) -> &'a Record {
    records.iter().find(|record| record.title.starts_with(title)).unwrap()
}

fn names(record: &Record) -> Vec<&str> {
    record.authors.iter().map(Author::short).collect()
}

#[tokio::test]
async fn openalex() {
    let (findings, report) = report("openalex", &good_host().await).await;
    assert_eq!(report.outcome, EngineOutcome::Found { pieces: 2, total: Some(418) });
    assert_eq!(report.to_string(), "OpenAlex gave 2 of 418 records. (1 of its records had no title and were left out)");
    let walks = find(&findings.records, "Walks");
    assert_eq!(walks.title, "Walks on lattice points & graphs");
    assert_eq!(walks.doi.as_ref().unwrap().as_str(), "10.5555/walks.2017");
    assert_eq!(walks.arxiv.as_ref().unwrap().as_str(), "1605.08386");
    assert_eq!(names(walks), ["van der Berg", "Wei"]);
    assert_eq!(walks.abstract_text.as_deref(), Some("Random walks mix fast. Slow walks do too."));
    assert_eq!((walks.year, walks.cited_by, walks.kind), (Some(2017), Some(31), RecordKind::Article));
    assert_eq!(walks.venue.as_deref(), Some("Journal of Walks"));
    assert_eq!(walks.pages.as_deref(), Some("11-29"));
    assert_eq!(walks.open_access.as_deref(), Some("https://arxiv.org/pdf/1605.08386v1"));
    assert_eq!((walks.provenance[0].id.as_str(), walks.provenance[0].rank), ("W4000000001", 1));
    let chapter = find(&findings.records, "A book chapter");
    assert_eq!((chapter.year, chapter.kind, chapter.retracted), (Some(1999), RecordKind::Chapter, true));
    assert_eq!((&chapter.doi, &chapter.abstract_text, chapter.cited_by), (&None, &None, None));
    assert_eq!(chapter.byline(), "Anonymous");
}

#[tokio::test]
async fn arxiv() {
    let (findings, report) = report("arxiv", &good_host().await).await;
    assert_eq!(report.to_string(), "arXiv gave 2 records.");
    let walks = find(&findings.records, "Walks");
    assert_eq!(walks.title, "Walks on lattice points and graphs");
    assert_eq!(walks.arxiv.as_ref().unwrap().as_str(), "1605.08386", "without its version");
    assert_eq!(walks.provenance[0].id, "1605.08386v2", "the version that was read");
    assert_eq!(walks.abstract_text.as_deref(), Some("We study walks with $a < b$ on lattice points. They mix."));
    assert_eq!((walks.year, walks.kind, &walks.doi), (Some(2016), RecordKind::Preprint, &None));
    assert_eq!(walks.open_access.as_deref(), Some("https://arxiv.org/pdf/1605.08386v2"));
    assert_eq!(names(walks), ["van der Berg", "Li"]);
    let early = find(&findings.records, "Early");
    assert_eq!(early.arxiv.as_ref().unwrap().as_str(), "hep-th/9201001");
    assert_eq!(early.doi.as_ref().unwrap().as_str(), "10.5555/old.1");
    assert_eq!(early.venue.as_deref(), Some("Ann. Walks 3 (1993) 1-2"));
    assert_eq!(early.open_access.as_deref(), Some("https://arxiv.org/pdf/hep-th/9201001"));
}

#[tokio::test]
async fn crossref() {
    let (findings, report) = report("crossref", &good_host().await).await;
    assert_eq!(report.outcome, EngineOutcome::Found { pieces: 2, total: Some(3) });
    let walks = find(&findings.records, "Walks");
    assert_eq!(walks.title, "Walks on lattice points: A study");
    assert_eq!(names(walks), ["van der Berg", "The WALK Consortium", "Plato"]);
    assert_eq!(walks.abstract_text.as_deref(), Some("Walks mix with p < 0.05. They do & did."));
    assert_eq!((walks.year, walks.cited_by), (Some(2017), Some(12)));
    assert_eq!(walks.publisher.as_deref(), Some("Walk Press"));
    let undated = find(&findings.records, "RETRACTED");
    assert_eq!((undated.year, undated.cited_by, undated.kind), (Some(2021), Some(7), RecordKind::Preprint));
    assert!(undated.retracted);
    assert_eq!(undated.venue, None);
}

#[tokio::test]
async fn a_record_is_the_same_evidence_in_every_run() {
    let host = good_host().await;
    let (first, _) = report("arxiv", &host).await;
    let (second, _) = report("arxiv", &host).await;
    assert_eq!(first, second);
    let walks = find(&first.records, "Walks");
    let evidence = walks.evidence();
    assert_eq!(evidence.id, walks.id);
    assert!(walks.id.starts_with("vanderberg-walks#"), "{}", walks.id);
    assert_eq!(evidence.place(), "van der Berg and Li 2016, https://arxiv.org/abs/1605.08386");
    assert_eq!(evidence.text, "We study walks with $a < b$ on lattice points. They mix.");
    let early = find(&first.records, "Early");
    assert_eq!(serde_json::from_value::<Record>(serde_json::to_value(early).unwrap()).unwrap(), *early);
}
