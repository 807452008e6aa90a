//! The date that prompts state.

use graphloom_core_graph::{Clock, SystemClock};
use graphloom_llm::ModelError;
use serde_json::{Value, json};

use super::ModelSet;
use crate::time_text;

impl ModelSet {
    /// The date that prompts state: today in UTC, or the recorded one where a recording is played back.
    ///
    /// # Errors
    /// A recording that cannot be written, or that has no date.
    pub async fn today(&self) -> Result<String, ModelError> {
        let today = time_text(SystemClock.now())[..10].to_owned();
        let Some(cassette) = &self.cassette else { return Ok(today) };
        let work = || async { Ok::<_, ModelError>(Value::String(today)) };
        let today = cassette.exchange("today", &json!({}), work, |message| ModelError::Setup { message }).await?;
        Ok(today.as_str().unwrap_or_default().to_owned())
    }
}
