//! Claims planted into real documents: the guide of this repository and the readmes of the packages it is built from.
//! The judge is the extractive program, so the numbers say nothing about any model.

mod corpus;

use std::path::Path;

use graphloom_citations::Extractive;
use graphloom_citations::planted::{Kind, measure, plant};

#[tokio::test]
async fn planted_claims_are_told_apart() {
    let documents = corpus::documents(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
    assert!(documents.len() >= 100, "{} documents", documents.len());
    let planted = plant(&documents, 24);
    let scores = measure(&planted, &Extractive::default()).await;
    println!("{scores}");
    for (claim, given) in &scores.wrong {
        println!("{given} for {:?}: {} [{}]", claim.kind, claim.claim, claim.source.title);
    }
    assert!(scores.claims() >= 200, "{} claims", scores.claims());
    assert!(Kind::ALL.iter().all(|kind| scores.kinds.get(kind).is_some_and(|(_, all)| *all >= 10)), "{scores}");
    let floor = |verdict, precision: f64, recall: f64| {
        let row = scores.verdicts[verdict];
        assert!(row.precision() >= precision && row.recall() >= recall, "{verdict} is below its floor\n{scores}");
    };
    floor("supported", 0.85, 0.9);
    floor("contradicted", 0.88, 0.85);
    floor("not_found", 0.8, 0.8);
}
