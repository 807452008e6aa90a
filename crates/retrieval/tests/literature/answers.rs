//! What becomes of good answers with all their oddities.

use graphloom_retrieval::EngineOutcome;
use graphloom_retrieval::literature::{Author, Pmcid, Pmid, Record, RecordKind};
use wiremock::{MockServer, ResponseTemplate};

use super::hosts::{PUBMED, answer, body, good_host, report};

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
async fn pubmed() {
    let (findings, report) = report("pubmed", &good_host().await).await;
    assert_eq!(report.outcome, EngineOutcome::Found { pieces: 2, total: Some(57) });
    assert_eq!(
        report.to_string(),
        "PubMed gave 2 of 57 records. (it does not know latice) (1 of its records had no title and were left out)"
    );
    let walks = find(&findings.records, "Walks");
    assert_eq!(walks.title, "Walks on lattice points: A study");
    assert_eq!(walks.abstract_text.as_deref(), Some("BACKGROUND: Walks with p < 0.05 13C. RESULTS: They mix."));
    assert_eq!(walks.doi.as_ref().unwrap().as_str(), "10.5555/walks.2017");
    assert_eq!((walks.pmid, walks.pmcid), (Pmid::parse("30000001"), Pmcid::parse("PMC5000001")));
    assert_eq!((names(walks), walks.year), (vec!["van der Berg", "Li"], Some(2017)));
    assert_eq!(
        (walks.provenance[0].id.as_str(), walks.provenance[0].rank),
        ("30000001", 1),
        "in the order of the search"
    );
    let gait = find(&findings.records, "How");
    assert_eq!((gait.title.as_str(), gait.year, gait.retracted), ("How we walk", Some(1998), true));
    assert_eq!((names(gait), gait.pages.as_deref()), (vec!["GAIT Group"], Some("3-9")));
    assert_eq!(gait.url.as_deref(), Some("https://pubmed.ncbi.nlm.nih.gov/30000002/"));
    assert!(gait.id.starts_with("gaitgroup-how#"), "{}", gait.id);
}

#[tokio::test]
async fn pubmed_without_abstracts_still_gives_its_works() {
    let host = MockServer::start().await;
    for (route, good) in PUBMED {
        let with = if route.contains("efetch") { ResponseTemplate::new(502) } else { body(good) };
        answer(&host, route, with).await;
    }
    let (findings, report) = report("pubmed", &host).await;
    assert!(report.to_string().contains("the abstracts did not come: it is down (status 502)"), "{report}");
    let walks = find(&findings.records, "Walks");
    assert_eq!((walks.title.as_str(), walks.year), ("Walks on lattice points: A study", Some(2017)));
    assert_eq!((names(walks), walks.pmcid), (vec!["van der Berg", "Li"], Pmcid::parse("PMC5000001")));
    assert_eq!(names(find(&findings.records, "How")), ["GAIT Group"]);
}

#[tokio::test]
async fn semantic_scholar() {
    let (findings, report) = report("semanticscholar", &good_host().await).await;
    assert_eq!(report.outcome, EngineOutcome::Found { pieces: 2, total: Some(1204) });
    let walks = find(&findings.records, "Walks on");
    assert_eq!(walks.doi.as_ref().unwrap().as_str(), "10.5555/walks.2017");
    assert_eq!((walks.pmid, walks.pmcid), (Pmid::parse("30000001"), Pmcid::parse("5000001")));
    assert_eq!((walks.cited_by, walks.kind, walks.pages.as_deref()), (Some(40), RecordKind::Article, Some("11-29")));
    assert_eq!(walks.open_access.as_deref(), Some("https://repository.example/walks.pdf"));
    let other = find(&findings.records, "Walks in");
    assert_eq!((other.kind, other.year, &other.venue), (RecordKind::Preprint, None, &None));
    assert_eq!(other.arxiv.as_ref().unwrap().as_str(), "2401.00001");
}

#[tokio::test]
async fn core() {
    let (findings, report) = report("core", &good_host().await).await;
    assert_eq!(report.outcome, EngineOutcome::Found { pieces: 2, total: Some(77) });
    let walks = find(&findings.records, "Walks");
    assert_eq!((names(walks), walks.year), (vec!["van der Berg", "Li"], Some(2017)));
    assert_eq!(walks.open_access.as_deref(), Some("https://core.ac.uk/download/123456.pdf"));
    assert_eq!(walks.url.as_deref(), Some("https://core.ac.uk/works/123456"));
    let thesis = find(&findings.records, "A thesis");
    assert_eq!((thesis.kind, &thesis.abstract_text, &thesis.doi), (RecordKind::Thesis, &None, &None));
    assert_eq!(thesis.open_access.as_deref(), Some("https://university.example/thesis"));
}

#[tokio::test]
async fn europe_pmc() {
    let (findings, report) = report("europepmc", &good_host().await).await;
    assert_eq!(report.outcome, EngineOutcome::Found { pieces: 2, total: Some(12) });
    let walks = find(&findings.records, "Walks on");
    assert_eq!(names(walks), ["van der Berg", "The WALK Consortium"]);
    assert_eq!(walks.abstract_text.as_deref(), Some("Background Walks with p < 0.05. Results They mix."));
    assert_eq!(
        walks.open_access.as_deref(),
        Some("https://europepmc.org/articles/PMC5000001"),
        "as a page rather than PDF"
    );
    assert_eq!(walks.provenance[0].id, "MED:30000001");
    assert_eq!((find(&findings.records, "Walks of").kind, walks.kind), (RecordKind::Preprint, RecordKind::Article));
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
