//! What answers have in common: pages of lists, and refusals of what the records do not take.

use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};

use crate::http::{Json, Problem};
use crate::records::{Listing, RecordError};

const TOTAL: HeaderName = HeaderName::from_static("x-pagination-total");
const NEXT: HeaderName = HeaderName::from_static("x-pagination-next");

/// A page, with the number of all records that match and where the next page begins.
pub(super) fn page(listing: Listing) -> Response {
    let Listing { items, total, next } = listing;
    let mut response = Json(items).into_response();
    response.headers_mut().insert(TOTAL, HeaderValue::from(total));
    if let Some(next) = next {
        response.headers_mut().insert(NEXT, HeaderValue::from(next));
    }
    response
}

/// A refusal of what no state of the records takes is about the request's form: 422.
pub(super) fn unfit(error: RecordError) -> Problem {
    match error {
        RecordError::BadRequest(detail) => Problem::unprocessable(detail),
        other => other.into(),
    }
}
