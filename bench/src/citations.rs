//! Precision and recall of citation checks on planted claims.
//!
//! Claims of nine kinds are made from the documents that the test of the crate uses, too. The judge is the extractive
//! program, so the numbers are those of the rules around it and say nothing about any model.

use std::path::Path;

use graphloom_citations::Extractive;
use graphloom_citations::planted::{Scores, measure, plant};

use crate::Failure;
use crate::corpus::documents;

/// Of each kind at most this many claims.
const EACH: usize = 24;

/// Plants claims and checks them.
pub(crate) async fn scores() -> Result<Scores, Failure> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let documents = documents(&place).map_err(|error| error.to_string())?;
    Ok(measure(&plant(&documents, EACH), &Extractive::default()).await)
}
