//! Bodies with pieces cut out, doubled and replaced: every engine ends with pages or an outcome.

use graphloom_retrieval::web::{LONGEST_TEXT, MOST_RESULTS};
use proptest::prelude::*;
use wiremock::MockServer;

use super::hosts::{ENGINES, answer, ask, json};

fn at_boundary(text: &str, share: f64) -> usize {
    // A share from 0 to 1 of the length stays within it.
    let mut at = (text.len() as f64 * share) as usize;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_body_breaks_an_engine(
        which in 0_usize..6,
        status in prop::sample::select(vec![200_u16, 204, 301, 400, 404, 500]),
        edits in prop::collection::vec((0.0..1.0_f64, 0.0..0.2_f64, "[<>&;{}\\[\\]\":,a-z0-9éß図\u{0}-]{0,12}"), 0..5),
    ) {
        let (engine, route, good, _) = ENGINES[which];
        let mut body = good.to_owned();
        for (from, length, with) in edits {
            let start = at_boundary(&body, from);
            let end = at_boundary(&body, (from + length).min(1.0)).max(start);
            body.replace_range(start..end, &with);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let found = runtime.block_on(async {
            let host = MockServer::start().await;
            answer(&host, route, json(status, &body)).await;
            ask(&host, engine, "logs", 10).await
        });
        prop_assert!(found.results.len() <= MOST_RESULTS);
        prop_assert!(status == 200 || found.results.is_empty());
        prop_assert_eq!(found.reports[0].outcome.answered(), found.answered());
        for result in found.results {
            prop_assert!(result.url.starts_with("http"));
            prop_assert!(!result.title.is_empty());
            prop_assert!(result.text.chars().count() <= LONGEST_TEXT);
        }
    }
}
