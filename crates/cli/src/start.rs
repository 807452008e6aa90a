//! The main function that all binaries share.

use std::future::Future;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use graphloom_llm::compatible::without_user;

use crate::config::ConfigFiles;
use crate::line::{self, Line};
use crate::store::Chosen;
use crate::{BaseArgs, CliError, CommonArgs, ExitStatus, Failure, Interrupt, Progress, RunStore, StoreKind, log};

/// What an application works with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Session {
    /// Where progress and the result go.
    pub progress: Progress,
    /// Tells when the user wants to stop.
    pub interrupt: Interrupt,
    /// What the files `graphloom.toml` say.
    pub files: ConfigFiles,
    chosen: Chosen,
}

impl Session {
    /// The store of runs that `--store` names, made where there is none. It is opened once, and closed when the program ends.
    ///
    /// # Errors
    /// [`CliError::Io`](crate::CliError::Io) when the directory cannot be made, [`CliError::Usage`](crate::CliError::Usage)
    /// without the key or the address that the store needs, and the store's own: no database, a newer format, locked, a
    /// full disk, no answer.
    pub async fn store(&self) -> Result<RunStore, Failure> {
        self.chosen.open().await
    }

    /// The same for who only looks: `None` where nothing was ever kept.
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
}

/// Reads the command line, sets up logging and a runtime, runs the application, and ends with its status.
///
/// An error is told on stderr with its causes; a wrong command line ends with status 2, a signal outside a run with 130.
pub fn main<A, F, Fut>(run: F) -> ExitCode
where
    A: Parser + AsRef<BaseArgs>,
    F: FnOnce(A, Session) -> Fut,
    Fut: Future<Output = Result<ExitStatus, Failure>>,
{
    match line::read::<A>(std::env::args_os().collect()) {
        Ok(Line::Run(args)) => start(args, run).into(),
        Ok(Line::Describe(described)) => {
            let progress = Progress::new(&described.base);
            match described.tell(&progress) {
                Ok(status) => status.into(),
                Err(failure) => {
                    progress.failure(&failure);
                    failure.status().into()
                }
            }
        }
        Err(mut error) => {
            hide_password(&mut error);
            // Help and version go to stdout and are no error; nobody is left to tell when neither can be written.
            error.print().ok();
            u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
        }
    }
}

/// A wrong value is repeated in the message about it; an address in it may hold a password.
fn hide_password(error: &mut clap::Error) {
    if let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) {
        let shown = ContextValue::String(without_user(value));
        error.insert(ContextKind::InvalidValue, shown);
    }
}

fn start<A, F, Fut>(args: A, run: F) -> ExitStatus
where
    A: Parser + AsRef<BaseArgs>,
    F: FnOnce(A, Session) -> Fut,
    Fut: Future<Output = Result<ExitStatus, Failure>>,
{
    let progress = Progress::new(args.as_ref());
    let prepared = log::start(args.as_ref(), &progress).and_then(|()| args.as_ref().outbound.install());
    let files = prepared.and_then(|()| ConfigFiles::read(A::command().get_name(), args.as_ref()));
    let ended = files.map_err(Failure::from).and_then(|files| {
        if let Some(notice) = files.notice() {
            progress.note(notice);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|source| Failure::new(ExitStatus::Failed, source))?;
        let told = progress.clone();
        let base = args.as_ref();
        let chosen = Chosen::new(files.store(base.store), base.data_dir.clone());
        let ended = runtime.block_on(Box::pin(async move {
            let interrupt = Interrupt::listen();
            let mut unattended = interrupt.clone();
            let session = Session { progress: told, interrupt, files, chosen: chosen.clone() };
            let ended = tokio::select! {
                ended = run(args, session) => ended,
                () = unattended.unattended() => Err(Failure::new(ExitStatus::Interrupted, "stopped by the user")),
            };
            chosen.close().await;
            ended
        }));
        // Blocking work that nobody waits for any more must not hold up the end.
        runtime.shutdown_background();
        ended
    });
    match ended {
        Ok(status) => {
            progress.clear();
            status
        }
        Err(failure) => {
            progress.failure(&failure);
            failure.status()
        }
    }
}

/// The command that goes on with a run, to be printed when one stops before its end.
pub fn resume_line(program: &str, thread: &str, args: &BaseArgs) -> String {
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

/// The command that goes on with a run as it was begun: with the same models, documents, sources and parameters. What
/// belongs to one command alone, such as its budget or where it writes, is not repeated.
pub fn same_again_line(program: &str, thread: &str, args: &CommonArgs) -> String {
    let mut line = resume_line(program, thread, &args.base);
    let mut option = |name: &str, value: &str| {
        line.push_str(&format!(" {name} {}", quoted(value)));
    };
    let model = args.model.as_ref().map(ToString::to_string);
    let from_variable = std::env::var("GRAPHLOOM_MODEL").ok();
    if let Some(model) = model.filter(|model| from_variable.as_ref() != Some(model)) {
        option("--model", &model);
    }
    for folder in &args.corpus {
        option("--corpus", &folder.display().to_string());
    }
    if !args.search.is_empty() {
        let engines: Vec<&str> = args.search.iter().map(|engine| engine.name()).collect();
        option("--search", &engines.join(","));
    }
    if let Some(file) = &args.config {
        option("--config", &file.display().to_string());
    }
    for set in &args.sets {
        option("--set", set);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_repeated() {
        #[derive(Parser, Debug)]
        struct Args {
            #[command(flatten)]
            common: crate::CommonArgs,
        }
        let wrong = ["x", "--model", "compatible:m@http://me:hunter22@127.0.0.1:1/v1"];
        let mut error = Args::try_parse_from(wrong).unwrap_err();
        assert!(error.to_string().contains("hunter22"), "nothing to hide: {error}");
        hide_password(&mut error);
        let told = error.to_string();
        assert!(!told.contains("hunter22") && told.contains("LLM_API_KEY"), "{told}");
    }

    #[test]
    fn the_resume_line_can_be_pasted() {
        let mut args = BaseArgs::default();
        assert_eq!(resume_line("writehere", "tides-1", &args), "writehere resume tides-1");
        let common = CommonArgs {
            model: "scripted:my model.jsonl".parse().ok(),
            corpus: vec!["papers".into(), "old papers".into()],
            search: vec![crate::SearchEngine::Local, crate::SearchEngine::Arxiv],
            sets: vec!["literature.contact=me@example.org".to_owned(), "title=a b".to_owned()],
            ..CommonArgs::default()
        };
        assert_eq!(
            same_again_line("pocketflow", "tides-1", &common),
            "pocketflow resume tides-1 --model 'scripted:my model.jsonl' --corpus papers --corpus 'old papers' --search \
             local,arxiv --set literature.contact=me@example.org --set 'title=a b'"
        );
        args.data_dir = Some("my runs/it's".into());
        args.store = Some(StoreKind::Encrypted);
        assert_eq!(
            resume_line("writehere", "a b", &args),
            r"writehere resume 'a b' --data-dir 'my runs/it'\''s' --store encrypted"
        );
    }
}
