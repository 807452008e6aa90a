//! What a refusal is on HTTP.

use axum::http::StatusCode;
use graphloom_core_graph::RunError;
use graphloom_core_graph::checkpoint::CheckpointError;
use graphloom_core_graph::store::StoreError;

use super::problem::Problem;
use crate::graph::UpdateFault;
use crate::records::RecordError;
use crate::refusal::Refusal;

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotFound(detail) => Self::not_found(detail),
            Refusal::Conflict(detail) => Self::conflict(detail),
            Refusal::BadRequest(detail) => Self::bad_request(detail),
            Refusal::Invalid(detail) => Self::unprocessable(detail),
            Refusal::Unavailable(detail) => Self::new(StatusCode::SERVICE_UNAVAILABLE, detail),
            Refusal::Failed(detail) => {
                tracing::error!(detail, "a request failed");
                Self::internal()
            }
        }
    }
}

impl From<RecordError> for Problem {
    fn from(error: RecordError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<CheckpointError> for Problem {
    fn from(error: CheckpointError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<RunError> for Problem {
    fn from(error: RunError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<UpdateFault> for Problem {
    fn from(fault: UpdateFault) -> Self {
        Refusal::from(fault).into()
    }
}
