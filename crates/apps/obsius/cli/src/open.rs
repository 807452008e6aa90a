//! What commands need: the vault and its index, models, the runs in the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphloom_agents::{Risk, Strategy, ToolSource};
use graphloom_cli::frame::AppRuns;
use graphloom_cli::{
    DataDir, Failure, ModelSet, NetworkOptions, Session, build_models, no_models, open_engines, search_tool,
};
use graphloom_core_graph::{Thread, Threads};
use graphloom_llm::layers::Spent;
use graphloom_mcp::McpOptions;
use graphloom_obsius::index::VaultIndex;
use graphloom_obsius::{Config, Resources, Setup, WorkflowState, graph, profile};
use graphloom_vault::transaction::{self, RecoveryOutcome};
use graphloom_vault::{ContentHash, Vault, VaultOptions};

use crate::args::WorkArgs;

/// How many files that are not read are named on the terminal.
const SKIPPED: usize = 20;

pub(crate) type Runs = Threads<WorkflowState, Resources>;
pub(crate) type Run = Thread<WorkflowState, Resources>;

/// A vault, ready to be worked on.
pub(crate) struct Opened {
    pub(crate) runs: Runs,
    pub(crate) vault: Arc<Vault>,
    pub(crate) models: ModelSet,
    pub(crate) root: PathBuf,
    /// Whether the model is led by small choices.
    pub(crate) small: bool,
}

/// Opens a vault, finishes or takes back what a crash left of a transaction, and says so.
pub(crate) fn open_vault(root: &Path, session: &Session) -> Result<Arc<Vault>, Failure> {
    let vault = Arc::new(Vault::open(root, VaultOptions::default())?);
    for recovered in transaction::recover(&vault)? {
        let what = match &recovered.outcome {
            RecoveryOutcome::Completed => "was finished".to_owned(),
            RecoveryOutcome::RolledBack => "was taken back".to_owned(),
            RecoveryOutcome::NeverBegan => continue,
            RecoveryOutcome::Damaged(why) => format!("cannot be read: {why}"),
            other => format!("{other:?}"),
        };
        session
            .progress
            .warn(format!("writing the changes of run `{}` had been interrupted; it {what}", recovered.run));
        for path in &recovered.left {
            session.progress.warn(format!("`{path}` was changed by someone else meanwhile and is left as it is"));
        }
    }
    vault.refresh()?;
    Ok(vault)
}

/// The index of a vault, up to date with its files.
pub(crate) fn open_index(vault: &Arc<Vault>, dirs: &DataDir, session: &Session) -> Result<VaultIndex, Failure> {
    session.progress.phase("indexing the vault");
    dirs.create_indexes()?;
    let index = VaultIndex::open(Arc::clone(vault), &dirs.index(&[vault.root().to_owned()]))?;
    index.refresh()?;
    let skipped = index.skipped();
    for file in skipped.iter().take(SKIPPED) {
        // Its name may be the reason.
        let name: String =
            file.path.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
        session.progress.note(format!("`{name}` is not read and not changed: {}", file.reason));
    }
    if skipped.len() > SKIPPED {
        let more = skipped.len() - SKIPPED;
        session.progress.note(format!("{more} more files are not read and not changed; `--json` lists them all"));
    }
    for line in index.settings_problems() {
        session.progress.warn(line);
    }
    match index.excluded().len() {
        0 => {}
        1 => session.progress.note("1 note is excluded by the settings of the vault: not searched and not changed"),
        many => session
            .progress
            .note(format!("{many} notes are excluded by the settings of the vault: not searched and not changed")),
    }
    Ok(index)
}

/// Makes what a run needs.
pub(crate) async fn open(work: &WorkArgs, session: &Session) -> Result<Opened, Failure> {
    let seed = work.seed.unwrap_or_default();
    open_with(work, session, &work.vault.or_here(), Spent::default(), seed, None).await
}

/// The same for a run that goes on, with other limits than its own if there are any.
pub(crate) async fn open_with(
    work: &WorkArgs,
    session: &Session,
    root: &Path,
    spent: Spent,
    seed: u64,
    limits: Option<Config>,
) -> Result<Opened, Failure> {
    let dirs = session.dirs()?;
    let vault = open_vault(root, session)?;
    let index = Arc::new(open_index(&vault, &dirs, session)?);
    let store = session.store().await?.checkpointer();
    let models = build_models(&work.run.models, &dirs, &session.progress, spent).await?;
    let prompts = work.prompts.over(profile::prompts()?)?;
    let profile = profile::profile()?;
    profile.check(&prompts)?;
    let mut setup = Setup::new(Arc::new(prompts), Arc::new(profile), models.models.clone());
    setup.seed = seed;
    setup.limits = limits;
    let small = setup.strategy("execute") == Strategy::Guided;
    let root = vault.root().to_owned();
    let mut mcp = McpOptions::default();
    mcp.ceiling = Risk::Read;
    let servers = work.mcp.servers(mcp, session).await?;
    let servers = servers.map(Arc::new);
    let resources_of_servers = work.mcp.search_of(servers.as_ref(), &work.sources)?;
    let mut sources: Vec<Arc<dyn ToolSource>> =
        servers.into_iter().map(|servers| servers as Arc<dyn ToolSource>).collect();
    let network = || NetworkOptions::from_environment(|name| std::env::var(name).ok());
    let consent = &work.run.models.consent;
    // The model has read the notes, so only engines that a person named may see its words.
    let mut engines = work.sources.engines()?;
    if work.sources.search.is_empty() {
        engines.retain(|engine| !engine.is_network());
    }
    let searched = open_engines(&engines, &work.sources, network, &dirs, &session.progress, consent).await?;
    let searched = searched.and(resources_of_servers);
    if !searched.network.is_empty() {
        session.progress.note(format!("queries of the model are sent to: {}", searched.network.join(", ")));
    }
    sources.extend(searched.search().map(search_tool));
    let ledger = Arc::clone(&models.ledger);
    let resources = Resources { setup, vault: Arc::clone(&vault), index, ledger, sources };
    let runs = graph().with_context(resources).with_shared_checkpointer(store);
    Ok(Opened { runs, vault, models, root, small })
}

/// The runs of this program, for looking.
pub(crate) fn runs(session: &Session) -> AppRuns<'_, WorkflowState> {
    AppRuns::new(session, [graph().for_inspection()])
}

/// The runs with their vault but without a model, to write what was approved.
pub(crate) async fn open_to_write(session: &Session, vault: Arc<Vault>) -> Result<Runs, Failure> {
    let dirs = session.dirs()?;
    dirs.create_indexes()?;
    let index = VaultIndex::open(Arc::clone(&vault), &dirs.index(&[vault.root().to_owned()]))?;
    let resources = Resources::new(no_models(), vault, Arc::new(index))?;
    let store = session.store().await?.checkpointer();
    Ok(graph().with_context(resources).with_shared_checkpointer(store))
}

/// The session that was named, else that of a vault: its name and a hash of where it is.
pub(crate) fn session_of(named: Option<&str>, root: &Path) -> String {
    named.map_or_else(
        || {
            let name: String = root
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
                .take(32)
                .collect();
            let hash = ContentHash::of(root.as_os_str().as_encoded_bytes());
            format!("{name}-{}", &hash.as_str()[..8])
        },
        str::to_owned,
    )
}
