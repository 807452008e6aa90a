//! Records of what a searcher finds.

use std::collections::BTreeMap;

use graphloom_retrieval::{EngineOutcome, EngineReport, Hit, Search, Source};

use super::{Fault, Findings, Provenance, Record};

/// Searches for a query in plain words; at most `limit` records of each engine, best first. Where nothing can be searched,
/// a report says so.
pub async fn find(search: &dyn Search, query: &str, limit: usize) -> Findings {
    let answer = search.search(query, limit).await;
    let mut findings = Findings::default();
    let mut ranks: BTreeMap<String, u32> = BTreeMap::new();
    let engines: Vec<Option<String>> = answer.notes.iter().map(|note| engine_of(note, &answer.hits)).collect();
    for hit in answer.hits {
        let rank = ranks.entry(hit.engine.clone()).or_default();
        *rank += 1;
        findings.records.push(record(hit, query, *rank));
    }
    findings.reports = answer.reports;
    if findings.reports.is_empty() && search.engines().is_empty() {
        let reason = "no source is set up; give a folder of documents with `--corpus DIR`, or ask the network with \
                      `--search openalex,arxiv,crossref`"
            .to_owned();
        let outcome = EngineOutcome::Failed { fault: Fault::Unusable { reason } };
        findings.reports.push(EngineReport::new("literature", query, outcome));
    }
    // A note that names no result is on a page.
    let web = findings.reports.iter().position(|report| report.things() == "pages").unwrap_or_default();
    for (note, engine) in answer.notes.into_iter().zip(engines) {
        let of = findings.reports.iter().position(|report| Some(&report.engine) == engine.as_ref());
        if let Some(report) = findings.reports.get_mut(of.unwrap_or(web)) {
            report.notes.push(note);
        }
    }
    findings
}

/// The engine of the result that a note names by its title or its address.
fn engine_of(note: &str, hits: &[Hit]) -> Option<String> {
    let is_named = |name: &str| !name.is_empty() && note.contains(&format!("`{name}`"));
    let hit = hits.iter().find(|hit| match &hit.evidence.source {
        Source::Web { url } => is_named(url),
        _ => is_named(&hit.evidence.title),
    })?;
    Some(hit.engine.clone())
}

/// The work of a result; of a page the page itself, whose text stands for the abstract.
fn record(hit: Hit, query: &str, rank: u32) -> Record {
    if let Some(work) = hit.work {
        return *work;
    }
    let Hit { evidence, engine, published, .. } = hit;
    let mut record = Record::new(evidence.title);
    let place = match &evidence.source {
        Source::Web { url } => url.clone(),
        source => source.to_string(),
    };
    record.provenance = vec![Provenance::new(engine, &place, query, rank)];
    record.id = evidence.id;
    record.url = Some(place);
    record.abstract_text = Some(evidence.text);
    let digits = published.iter().flat_map(|date| date.split(|c: char| !c.is_ascii_digit()));
    record.year = digits.filter(|digits| digits.len() == 4).find_map(|year| year.parse().ok());
    record
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use graphloom_retrieval::{Evidence, NoSearch, SearchAnswer};

    use super::*;

    struct Page;

    #[async_trait]
    impl Search for Page {
        fn engines(&self) -> Vec<String> {
            vec!["wikipedia".to_owned()]
        }

        async fn search(&self, query: &str, _: usize) -> SearchAnswer {
            let source = Source::Web { url: "https://a.example/tides".to_owned() };
            let evidence = Evidence::new("a-tides#1", source, "Tides", "The moon moves the water.");
            let mut hit = Hit::new(evidence, 1.0, "").by("wikipedia");
            hit.published = Some("3 May 2021".to_owned());
            SearchAnswer::of("wikipedia", query, vec![hit])
        }
    }

    #[tokio::test]
    async fn a_page_is_a_record() {
        let found = find(&Page, "tides", 5).await;
        let record = &found.records[0];
        assert_eq!((record.url.as_deref(), record.year), (Some("https://a.example/tides"), Some(2021)));
        assert_eq!((record.sources(), super::super::text_of(record)), (vec!["wikipedia"], "The moon moves the water."));
        assert!(found.answered());
    }

    /// A page and a work, of neither of which the whole was read.
    struct Unread;

    #[async_trait]
    impl Search for Unread {
        fn engines(&self) -> Vec<String> {
            vec!["wikipedia".to_owned(), "openalex".to_owned()]
        }

        async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
            let mut answer = Page.search(query, limit).await;
            let work = Record::new("Neaps").identified();
            let found = SearchAnswer::of(
                "openalex",
                query,
                vec![Hit::new(work.evidence(), 1.0, "").by("openalex").of_work(work)],
            );
            answer.hits.extend(found.hits);
            answer.reports.extend(found.reports);
            let notes = [
                "of `Neaps` only the abstract is used",
                "of `https://a.example/tides` only the excerpt is used",
                "slow",
            ];
            answer.notes = notes.map(str::to_owned).to_vec();
            answer
        }
    }

    #[tokio::test]
    async fn a_note_stands_under_the_engine_of_its_result() {
        let found = find(&Unread, "tides", 5).await;
        let notes: Vec<Vec<&str>> =
            found.reports.iter().map(|report| report.notes.iter().map(String::as_str).collect()).collect();
        assert_eq!(
            notes,
            [
                vec!["of `https://a.example/tides` only the excerpt is used", "slow"],
                vec!["of `Neaps` only the abstract is used"]
            ]
        );
    }

    #[tokio::test]
    async fn nothing_to_search_is_told() {
        let found = find(&NoSearch, "tides", 5).await;
        assert!(!found.answered() && found.reports[0].to_string().contains("--corpus DIR"), "{:?}", found.reports);
    }
}
