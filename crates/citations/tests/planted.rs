//! Claims planted into real documents: the guide of this repository and the readmes of the packages it is built from.
//! The judge is the extractive program, so the numbers say nothing about any model.

use std::path::Path;

use graphloom_citations::Extractive;
use graphloom_citations::planted::{Kind, measure, plant};

use crate::corpus;

#[tokio::test]
async fn planted_claims_are_told_apart() {
    let documents = corpus::documents(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
    assert!(documents.len() >= 100, "{} documents", documents.len());
    // So many of each kind that another set of readmes moves the shares by little.
    let planted = plant(&documents, 60);
    let scores = measure(&planted, &Extractive::default()).await;
    println!("{scores}");
    for (claim, given) in &scores.wrong {
        println!("{given} for {:?}: {} [{}]", claim.kind, claim.claim, claim.source.title);
    }
    assert!(scores.claims() >= 200, "{} claims", scores.claims());
    // Few sentences of readmes have a date.
    let many = Kind::ALL.iter().filter(|kind| **kind != Kind::DateChanged);
    assert!(many.clone().all(|kind| scores.kinds.get(kind).is_some_and(|(_, all)| *all >= 10)), "{scores}");
    let changed = [Kind::NumberChanged, Kind::UnitChanged, Kind::DateChanged];
    let (caught, all) = changed
        .iter()
        .filter_map(|kind| scores.kinds.get(kind))
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(caught * 10 >= all * 9, "{caught} of {all} changes of a number, unit or date are caught\n{scores}");
    let floor = |verdict, precision: f64, recall: f64| {
        let row = scores.verdicts[verdict];
        assert!(row.precision() >= precision && row.recall() >= recall, "{verdict} is below its floor\n{scores}");
    };
    // This judge takes no word for another, so that a synonym or a lost line break is as doubtful to it as a reversal.
    floor("supported", 0.75, 0.4);
    floor("contradicted", 0.9, 0.85);
    floor("not_found", 0.5, 0.8);
}
