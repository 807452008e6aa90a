//! What the nodes of a run work with beside its state.

use std::fmt;
use std::sync::Arc;

use graphloom_agents::{AgentError, Models, Prompts, Strategy, ToolSource, seed_of};
use graphloom_llm::layers::{Budget, Ledger};
use graphloom_vault::Vault;

use crate::config::Config;
use crate::index::VaultIndex;
use crate::profile::{self, ObsiusProfile};

/// Prompts, profile and models. Cheap to clone.
#[derive(Clone)]
pub struct Setup {
    /// The prompts.
    pub prompts: Arc<Prompts>,
    /// The profile.
    pub profile: Arc<ObsiusProfile>,
    /// The models.
    pub models: Models,
    /// The date that prompts state, empty for none.
    pub today: String,
    /// The seed that samplers get, mixed with what they are asked for.
    pub seed: u64,
    /// The parameters that a run which goes on gets instead of its own.
    pub limits: Option<Config>,
}

/// What the nodes of a run work with beside its state.
pub struct Resources {
    /// Prompts, profile and models.
    pub setup: Setup,
    /// The vault.
    pub vault: Arc<Vault>,
    /// The index of its notes.
    pub index: Arc<VaultIndex>,
    /// What the calls have spent.
    pub ledger: Arc<Ledger>,
    /// Tools beside those of the vault. They only read: what changes notes goes through the pending changes.
    pub sources: Vec<Arc<dyn ToolSource>>,
}

impl Resources {
    /// Resources with the built-in prompts and profile, without a budget.
    ///
    /// # Errors
    /// None but a fault of this program: prompts and profile are always the same.
    pub fn new(models: Models, vault: Arc<Vault>, index: Arc<VaultIndex>) -> Result<Self, AgentError> {
        let setup = Setup::new(Arc::new(profile::prompts()?), Arc::new(profile::profile()?), models);
        Ok(Self { setup, vault, index, ledger: Ledger::new(Budget::default()), sources: Vec::new() })
    }
}

impl Setup {
    /// A setup without a date and a seed.
    pub fn new(prompts: Arc<Prompts>, profile: Arc<ObsiusProfile>, models: Models) -> Self {
        Self { prompts, profile, models, today: String::new(), seed: 0, limits: None }
    }

    /// How the model of a role is worked with.
    pub fn strategy(&self, role: &str) -> Strategy {
        Strategy::of(self.models.role(role).capabilities())
    }

    /// A seed for what is asked.
    pub(crate) fn seed_of(&self, what: &str) -> u64 {
        seed_of(self.seed, what)
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup")
            .field("profile", &self.profile.name)
            .field("models", &self.models)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources")
            .field("setup", &self.setup)
            .field("vault", &self.vault.root())
            .finish_non_exhaustive()
    }
}
