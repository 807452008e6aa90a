//! What commands need: the vault and its index, models, the runs in the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphloom_agents::{Models, Strategy};
use graphloom_cli::{CommonArgs, DataDir, ExitStatus, Failure, ModelSet, Session, build_models};
use graphloom_core_graph::{Thread, ThreadState, Threads};
use graphloom_llm::layers::Spent;
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use graphloom_obsius::index::VaultIndex;
use graphloom_obsius::{Config, Resources, Setup, WorkflowState, graph, profile};
use graphloom_vault::transaction::{self, RecoveryOutcome};
use graphloom_vault::{ContentHash, Vault, VaultOptions};

use crate::args::Args;

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
    for line in index.settings_told() {
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
pub(crate) async fn open(
    args: &Args,
    common: &CommonArgs,
    session: &Session,
    root: &Path,
    spent: Spent,
) -> Result<Opened, Failure> {
    open_with(args, common, session, root, spent, None).await
}

/// The same for a run that goes on, with other limits than its own if there are any.
pub(crate) async fn open_with(
    args: &Args,
    common: &CommonArgs,
    session: &Session,
    root: &Path,
    spent: Spent,
    limits: Option<Config>,
) -> Result<Opened, Failure> {
    let dirs = DataDir::new(common.base.data_dir.as_deref())?;
    let vault = open_vault(root, session)?;
    let index = Arc::new(open_index(&vault, &dirs, session)?);
    let store = session.store().await?.checkpointer();
    let models = build_models(common, &dirs, &session.progress, spent).await?;
    let mut prompts = profile::prompts()?;
    if let Some(folder) = &args.prompts {
        prompts = prompts.override_from(folder)?;
    }
    let profile = profile::profile()?;
    profile.check(&prompts)?;
    let mut setup = Setup::new(Arc::new(prompts), Arc::new(profile), models.models.clone());
    setup.seed = args.seed;
    setup.limits = limits;
    let small = setup.strategy("execute") == Strategy::Guided;
    let root = vault.root().to_owned();
    let resources = Resources { setup, vault: Arc::clone(&vault), index, ledger: Arc::clone(&models.ledger) };
    let runs = graph()?.with_context(resources).with_shared_checkpointer(store);
    Ok(Opened { runs, vault, models, root, small })
}

/// The runs of the database with a vault but without a model, for what needs none.
pub(crate) async fn look(common: &CommonArgs, session: &Session, root: Option<&Path>) -> Result<Runs, Failure> {
    let dirs = DataDir::new(common.base.data_dir.as_deref())?;
    let store = session.store().await?.checkpointer();
    // Its directory stands in for a vault below.
    dirs.create()?;
    let nobody = Scripted::from_fn(|_: &ChatRequest| {
        let message = "no model is called while a run is looked at".to_owned();
        Err::<String, _>(ModelError::Setup { message })
    });
    // States can be read without their vault; the data directory stands in for it, and nothing reads it.
    let vault = Arc::new(Vault::open(root.unwrap_or(dirs.data()), VaultOptions::default())?);
    dirs.create_indexes()?;
    let index = VaultIndex::open(Arc::clone(&vault), &dirs.index(&[vault.root().to_owned()]))?;
    let resources = Resources::new(Models::new(Arc::new(nobody)), vault, Arc::new(index))?;
    Ok(graph()?.with_context(resources).with_shared_checkpointer(store))
}

/// A run that exists, and its state.
pub(crate) async fn find(
    common: &CommonArgs,
    session: &Session,
    id: &str,
) -> Result<(Run, ThreadState<WorkflowState>), Failure> {
    let run = look(common, session, None).await?.thread(id);
    let state = run.state().await?;
    if state.checkpoint.is_none() {
        let message = format!("there is no run `{id}` in `{}`; `obsius runs` lists them", session.store_place()?);
        return Err(Failure::new(ExitStatus::Usage, message));
    }
    Ok((run, state))
}

/// The vault that a command is about.
pub(crate) fn vault_of(args: &Args) -> PathBuf {
    args.vault.clone().unwrap_or_else(|| PathBuf::from("."))
}

/// The session of a vault: its name and a hash of where it is.
pub(crate) fn session_of(args: &Args, root: &Path) -> String {
    args.session.clone().unwrap_or_else(|| {
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
    })
}
