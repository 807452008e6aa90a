//! Bodies with pieces cut out, doubled and replaced: every source ends with records or a fault.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_retrieval::literature::{
    Arxiv, Core, Crossref, EuropePmc, Gateway, HostFault, OpenAlex, Politeness, Pubmed, Query, Reply, Request,
    SemanticScholar, Source, Transport, Url,
};
use proptest::prelude::*;
use reqwest::header::HeaderMap;

use super::hosts::{PUBMED, SOURCES};

/// A host that always gives the same answer.
struct Fixed(u16, String);

#[async_trait]
impl Transport for Fixed {
    async fn send(&self, _request: &Request) -> Result<Reply, HostFault> {
        Ok(Reply::new(self.0, HeaderMap::new(), self.1.clone()))
    }
}

fn at_boundary(text: &str, share: f64) -> usize {
    // A share from 0 to 1 of the length stays within it.
    let mut at = (text.len() as f64 * share) as usize;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// PubMed, one of whose utilities gives another body than it should.
struct Utilities(usize, String);

#[async_trait]
impl Transport for Utilities {
    async fn send(&self, request: &Request) -> Result<Reply, HostFault> {
        let asked = PUBMED.iter().position(|(route, _)| route.ends_with(request.url.path())).unwrap();
        let text = if asked == self.0 { self.1.clone() } else { PUBMED[asked].1.to_owned() };
        // Without abstracts the works are asked for in the other form.
        let status = if self.0 == 2 && asked == 1 { 500 } else { 200 };
        Ok(Reply::new(status, HeaderMap::new(), text))
    }
}

proptest! {
    #[test]
    fn no_body_breaks_pubmed(
        which in 0_usize..3,
        edits in prop::collection::vec((0.0..1.0_f64, 0.0..0.2_f64, "[<>&;{}\\[\\]\":,a-z0-9éß図\u{0}-]{0,12}"), 0..5),
    ) {
        let mut text = PUBMED[which].1.to_owned();
        for (start, length, with) in edits {
            let from = at_boundary(&text, start);
            let to = at_boundary(&text, (start + length).min(1.0));
            text.replace_range(from..to, &with);
        }
        let address = Url::parse("https://mutilated.test").unwrap();
        let gateway = Gateway::over(&address, Arc::new(Utilities(which, text)), Politeness::none());
        let source = Pubmed::new(gateway, address, None, None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        if let Ok(found) = runtime.block_on(source.search(&Query::parse("walks").unwrap().limit(2))) {
            prop_assert!(found.records.len() <= 2);
            prop_assert!(found.records.iter().all(|record| !record.title.is_empty() && record.pmid.is_some()));
        }
    }

    #[test]
    fn no_body_breaks_a_source(
        which in 0_usize..6,
        status in prop::sample::select(vec![200_u16, 204, 400, 404, 500]),
        edits in prop::collection::vec((0.0..1.0_f64, 0.0..0.2_f64, "[<>&;{}\\[\\]\":,a-z0-9éß図\u{0}-]{0,12}"), 0..5),
    ) {
        let (_, _, good, _) = SOURCES[which];
        let mut text = good.to_owned();
        for (start, length, with) in edits {
            let from = at_boundary(&text, start);
            let to = at_boundary(&text, (start + length).min(1.0));
            text.replace_range(from..to, &with);
        }
        let address = Url::parse("https://mutilated.test").unwrap();
        let gateway = Gateway::over(&address, Arc::new(Fixed(status, text)), Politeness::none());
        let source: Arc<dyn Source> = match which {
            0 => Arc::new(OpenAlex::new(gateway, address, None)),
            1 => Arc::new(Arxiv::new(gateway, address)),
            2 => Arc::new(Crossref::new(gateway, address, None)),
            3 => Arc::new(SemanticScholar::new(gateway, address, None)),
            4 => Arc::new(Core::new(gateway, address, None)),
            _ => Arc::new(EuropePmc::new(gateway, address)),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let query = Query::parse("walks").unwrap().limit(2);
        if let Ok(found) = runtime.block_on(source.search(&query)) {
            prop_assert!(status == 200);
            prop_assert!(found.records.len() <= 2);
            for record in found.records {
                prop_assert!(!record.title.is_empty() && record.id.contains('#'), "{record:?}");
                prop_assert!(record.abstract_text.as_deref() != Some(""));
            }
        }
    }
}
