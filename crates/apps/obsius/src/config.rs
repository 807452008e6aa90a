//! The parameters of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The iteration timeout on a model that runs inside the program, unless one is set: it writes a few words a second where
/// the machine is busy.
pub const LOCAL_ITERATION_TIMEOUT_MS: u64 = 600_000;

/// The parameters of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The most iterations; an iteration is a visit of analyze.
    #[serde(rename = "MAX_ITERATIONS")]
    pub max_iterations: u32,
    /// How long an iteration may take, in milliseconds.
    #[serde(rename = "ITERATION_TIMEOUT_MS")]
    pub iteration_timeout_ms: u64,
    /// The most entries of the working memory.
    #[serde(rename = "MAX_WORKING_MEMORY_ENTRIES")]
    pub max_working_memory_entries: usize,
    /// How often progress inside a super-step is saved, in milliseconds.
    #[serde(rename = "PERSISTENCE_INTERVAL_MS")]
    pub persistence_interval_ms: u64,
    /// The most bytes of the state; what is more moves to blobs.
    #[serde(rename = "MAX_STATE_SIZE")]
    pub max_state_size: usize,
    /// Confidence from which on a task counts as complete.
    pub confidence_threshold: f64,
    /// The most subtasks of a plan.
    pub max_subtasks: usize,
    /// The most reading actions at a time.
    pub max_concurrent_reads: usize,
    /// The most results that one search strategy keeps.
    pub max_search_results: usize,
    /// The most results that all searches keep together where a request asks for all notes.
    pub max_all_results: usize,
    /// The most model turns of a simple request.
    pub max_turns: usize,
    /// An action that failed this often in the same way stops the run.
    pub max_identical_failures: u32,
    /// This many iterations in a row that ran out of time stop the run.
    pub max_timeouts: u32,
    /// The most characters of a tool's result that a prompt holds.
    pub max_prompt_chars: usize,
    /// Of how many runs the vault keeps the backups that undo them, the newest; 0 for all.
    pub keep_backups: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_iterations: 24,
            iteration_timeout_ms: 30_000,
            max_working_memory_entries: 50,
            persistence_interval_ms: 5_000,
            max_state_size: 1 << 20,
            confidence_threshold: 0.85,
            max_subtasks: 8,
            max_concurrent_reads: 3,
            max_search_results: 50,
            max_all_results: 500,
            max_turns: 8,
            max_identical_failures: 3,
            max_timeouts: 3,
            max_prompt_chars: 6_000,
            keep_backups: 100,
        }
    }
}

impl Config {
    /// Checks that the parameters make sense together.
    ///
    /// # Errors
    /// A text that names the parameter and what it may be.
    pub fn check(&self) -> Result<(), String> {
        let at_least_one = [
            ("MAX_ITERATIONS", u64::from(self.max_iterations)),
            ("ITERATION_TIMEOUT_MS", self.iteration_timeout_ms),
            ("MAX_WORKING_MEMORY_ENTRIES", self.max_working_memory_entries as u64),
            ("PERSISTENCE_INTERVAL_MS", self.persistence_interval_ms),
            ("max_subtasks", self.max_subtasks as u64),
            ("max_concurrent_reads", self.max_concurrent_reads as u64),
            ("max_search_results", self.max_search_results as u64),
            ("max_all_results", self.max_all_results as u64),
            ("max_turns", self.max_turns as u64),
            ("max_identical_failures", u64::from(self.max_identical_failures)),
            ("max_timeouts", u64::from(self.max_timeouts)),
        ];
        if let Some((name, _)) = at_least_one.iter().find(|(_, value)| *value == 0) {
            return Err(format!("`{name}` is 0; give 1 or more"));
        }
        if self.max_subtasks > 8 {
            return Err("`max_subtasks` is more than 8, the most that a plan has".to_owned());
        }
        if self.max_state_size < 16 * 1024 {
            return Err("`MAX_STATE_SIZE` is less than 16384 bytes, which no state fits in".to_owned());
        }
        if !(0.0..=1.0).contains(&self.confidence_threshold) {
            return Err("`confidence_threshold` is not between 0 and 1".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_their_names_and_defaults() {
        let value = serde_json::to_value(Config::default()).unwrap();
        for (name, default) in [
            ("MAX_ITERATIONS", 24),
            ("ITERATION_TIMEOUT_MS", 30_000),
            ("MAX_WORKING_MEMORY_ENTRIES", 50),
            ("PERSISTENCE_INTERVAL_MS", 5_000),
            ("MAX_STATE_SIZE", 1_048_576),
        ] {
            assert_eq!(value[name], default, "{name}");
        }
        Config::default().check().unwrap();
    }

    #[test]
    fn senseless_parameters_are_named() {
        let none = Config { max_iterations: 0, ..Config::default() };
        assert_eq!(none.check().unwrap_err(), "`MAX_ITERATIONS` is 0; give 1 or more");
        assert!(Config { max_subtasks: 9, ..Config::default() }.check().is_err());
        assert!(Config { confidence_threshold: f64::NAN, ..Config::default() }.check().is_err());
    }
}
