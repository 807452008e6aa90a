//! What an application works with, and the commands that resume its runs.

use graphloom_checkpoint_encrypted::MessageKeys;

use crate::config::ConfigFiles;
use crate::store::Chosen;
use crate::{
    BaseArgs, CliError, DataDir, Failure, Interrupt, Lease, Progress, RunArgs, RunStore, SourceArgs, StoreKind,
};

/// What an application works with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Session {
    /// Where progress and the result go.
    pub progress: Progress,
    /// The signals that stop the program.
    pub interrupt: Interrupt,
    /// What the files `graphloom.toml` say.
    pub files: ConfigFiles,
    /// The program, as its command line names it.
    program: String,
    base: BaseArgs,
    chosen: Chosen,
}

impl Session {
    pub(crate) fn new(program: String, base: BaseArgs, progress: Progress, files: ConfigFiles, chosen: Chosen) -> Self {
        Self { progress, interrupt: Interrupt::listen(), files, program, base, chosen }
    }

    /// The program, as its command line names it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Where runs, indexes and fetched models are kept.
    ///
    /// # Errors
    /// [`CliError::NoHome`](crate::CliError::NoHome).
    pub fn dirs(&self) -> Result<DataDir, CliError> {
        DataDir::new(self.base.data_dir.as_deref())
    }

    /// The store of runs that `--store` names, made where there is none. It is opened once, and closed when the program ends.
    ///
    /// # Errors
    /// [`CliError::Io`](crate::CliError::Io) when the directory cannot be made, [`CliError::Usage`](crate::CliError::Usage)
    /// without the key or the address that the store needs, and the store's own: no database, a newer format, locked, a
    /// full disk, no answer.
    pub async fn store(&self) -> Result<RunStore, Failure> {
        self.chosen.open(None).await
    }

    /// The store of runs, for a program that goes on with the runs of others like it when these die. Asked for first: once it is
    /// open, it is as it was opened.
    ///
    /// # Errors
    /// As [`store`](Self::store).
    pub async fn shared_store(&self, lease: Lease) -> Result<RunStore, Failure> {
        self.chosen.open(Some(lease)).await
    }

    /// The store of runs for reading, which is not created; `None` where no run was ever stored.
    ///
    /// # Errors
    /// As [`store`](Self::store).
    pub async fn existing_store(&self) -> Result<Option<RunStore>, Failure> {
        self.chosen.existing().await
    }

    /// The kind of the store that was chosen.
    pub fn store_kind(&self) -> StoreKind {
        self.chosen.kind()
    }

    /// Where the runs are or would be, for people.
    ///
    /// # Errors
    /// [`CliError::NoHome`](crate::CliError::NoHome), [`CliError::Usage`](crate::CliError::Usage) without an address.
    pub fn store_place(&self) -> Result<String, CliError> {
        self.chosen.place()
    }

    /// The address of the PostgreSQL database that the store is in, for what only processes that share one can do: `what` is its
    /// name, for the message.
    ///
    /// # Errors
    /// [`CliError::Usage`](crate::CliError::Usage): the store is another one, or has no address.
    pub fn postgres_address(&self, what: &str) -> Result<String, CliError> {
        match self.chosen.kind() {
            shared if shared.is_shared() => self.chosen.address(),
            other => Err(CliError::usage(format!(
                "`{what}` needs a database that several processes share, and the store is `{}`; add `--store postgres`",
                other.name()
            ))),
        }
    }

    /// With what messages about runs are encrypted that a queue or an engine keeps on their way: with the keys of the store, where that is
    /// encrypted.
    ///
    /// # Errors
    /// [`CliError::Usage`](crate::CliError::Usage) without keys that can be used.
    pub fn message_keys(&self) -> Result<MessageKeys, CliError> {
        self.chosen.message_keys()
    }

    /// The command that resumes a run, to be printed when a run stops before its end.
    pub fn resume_line(&self, thread: &str) -> String {
        resume_line(&self.program, thread, &self.base)
    }

    /// The command that resumes a run with the models, documents, sources and parameters of this one. Options of a single
    /// command, such as a budget or an output directory, are not repeated.
    pub fn resume_line_with_options(&self, thread: &str, run: &RunArgs, sources: &SourceArgs) -> String {
        let mut line = self.resume_line(thread);
        push_options(&mut line, run, sources);
        line
    }
}

fn resume_line(program: &str, thread: &str, args: &BaseArgs) -> String {
    let mut line = format!("{program} resume {}", quoted(thread));
    // The variable is there the next time as well, so only the option is repeated.
    let from_variable = std::env::var_os("GRAPHLOOM_HOME");
    if let Some(dir) = args.data_dir.as_ref().filter(|dir| from_variable.as_deref() != Some(dir.as_os_str())) {
        line.push_str(&format!(" --data-dir {}", quoted(&dir.display().to_string())));
    }
    let from_variable = std::env::var("GRAPHLOOM_STORE").ok();
    if let Some(store) = args.store.map(StoreKind::name).filter(|store| from_variable.as_deref() != Some(*store)) {
        line.push_str(&format!(" --store {store}"));
    }
    line
}

/// A text as a word of a shell.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Adds the options for the models, documents, sources and parameters.
fn push_options(line: &mut String, run: &RunArgs, sources: &SourceArgs) {
    let mut option = |name: &str, value: &str| {
        line.push_str(&format!(" {name} {}", quoted(value)));
    };
    let model = run.models.model.as_ref().map(ToString::to_string);
    let from_variable = std::env::var("GRAPHLOOM_MODEL").ok();
    if let Some(model) = model.filter(|model| from_variable.as_ref() != Some(model)) {
        option("--model", &model);
    }
    for folder in &sources.corpus {
        option("--corpus", &folder.display().to_string());
    }
    if !sources.search.is_empty() {
        let engines: Vec<&str> = sources.search.iter().map(|engine| engine.name()).collect();
        option("--search", &engines.join(","));
    }
    if let Some(embeddings) = &sources.embeddings {
        option("--embeddings", &embeddings.to_string());
    }
    if let Some(file) = &run.parameters.config {
        option("--config", &file.display().to_string());
    }
    for set in &run.parameters.sets {
        option("--set", set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resume_line_can_be_pasted() {
        let mut args = BaseArgs::default();
        let mut line = resume_line("pocketflow", "tides-1", &args);
        assert_eq!(line, "pocketflow resume tides-1");
        let mut run = RunArgs::default();
        run.models.model = "scripted:my model.jsonl".parse().ok();
        run.parameters.sets = vec!["literature.contact=me@example.org".to_owned(), "title=a b".to_owned()];
        let sources = SourceArgs {
            corpus: vec!["papers".into(), "old papers".into()],
            search: vec![crate::SearchEngine::Local, crate::SearchEngine::Arxiv],
            embeddings: "ollama:m".parse().ok(),
            ..SourceArgs::default()
        };
        push_options(&mut line, &run, &sources);
        assert_eq!(
            line,
            "pocketflow resume tides-1 --model 'scripted:my model.jsonl' --corpus papers --corpus 'old papers' --search \
             local,arxiv --embeddings ollama:m --set literature.contact=me@example.org --set 'title=a b'"
        );
        args.data_dir = Some("my runs/it's".into());
        args.store = Some(StoreKind::Encrypted);
        assert_eq!(
            resume_line("writehere", "a b", &args),
            r"writehere resume 'a b' --data-dir 'my runs/it'\''s' --store encrypted"
        );
    }
}
