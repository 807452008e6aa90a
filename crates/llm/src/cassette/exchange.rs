//! Recording calls of tools, such as a search.

use std::fmt;
use std::future::Future;

use serde_json::Value;

use super::Cassette;
use super::entry::Outcome;
use crate::ModelError;

impl Cassette {
    /// Runs `call` and records its result under `request`. When playing back, returns the recorded result and does not
    /// run `call`. A recorded failure comes back as its message, which `failure` turns into an error.
    ///
    /// # Errors
    /// The errors of `call`, and [`ModelError::CassetteMiss`] or [`ModelError::Setup`] of the cassette.
    pub async fn exchange<F, Fut, E>(
        &self,
        tool: &str,
        request: &Value,
        call: F,
        failure: impl FnOnce(String) -> E,
    ) -> Result<Value, E>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<Value, E>>,
        E: From<ModelError> + fmt::Display,
    {
        let numbered = self.begin(&format!("tool:{tool}"), request.clone());
        if self.is_replay() {
            return match self.outcome(&numbered)? {
                Outcome::Value(value) => Ok(value),
                Outcome::Failure(message) => Err(failure(message)),
                _ => Err(self.fault("the outcome of a call is of another kind than the call").into()),
            };
        }
        let result = call().await;
        let outcome = match &result {
            Ok(value) => Outcome::Value(value.clone()),
            Err(error) => Outcome::Failure(error.to_string()),
        };
        self.write(numbered, outcome)?;
        result
    }
}
