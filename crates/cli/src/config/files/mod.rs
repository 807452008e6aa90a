//! `graphloom.toml`: what a user and a project want in every run, without saying it each time.
//!
//! The user's file lies in their configuration directory, or in the directory of `--data-dir` or `GRAPHLOOM_HOME`. The
//! file of a project lies in the working directory or above it, up to the repository or the home directory, and what it
//! says counts more. The table `[shared]` has options, a table of a program's name its parameters.

mod place;
mod project;
mod shared;

use std::path::Path;

use graphloom_llm::resolve::ModelSpecs;
use serde_json::{Map, Value};

use self::project::check_project_table;
use self::shared::Shared;
use super::nearest;
use crate::args::APPLICATIONS;
use crate::{BaseArgs, CliError, ModelArgs, SourceArgs, StoreKind};

/// The table of options.
const SHARED: &str = "shared";

/// What the files say about one program.
#[derive(Clone, Debug, Default)]
pub struct ConfigFiles {
    shared: Shared,
    /// Parameters of the program with the file that sets them, the user's first.
    parameters: Vec<(String, Value)>,
    /// What the file of a project sets, in one line.
    notice: Option<String>,
}

/// Whose file it is.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    User,
    Project,
}

impl ConfigFiles {
    /// Reads the files that there are; none with `--no-config`.
    ///
    /// # Errors
    /// As for the file of `--config`; [`CliError::Usage`] for what a project must not set.
    pub fn read(program: &str, args: &BaseArgs) -> Result<Self, CliError> {
        if args.no_config {
            return Ok(Self::default());
        }
        Self::of(program, place::of_user(args.data_dir.as_deref()).as_deref(), place::of_project().as_deref())
    }

    fn of(program: &str, user: Option<&Path>, project: Option<&Path>) -> Result<Self, CliError> {
        let mut files = Self::default();
        if let Some(path) = user.filter(|path| path.is_file()) {
            files.add(program, path, Owner::User)?;
        }
        if let Some(path) = project.filter(|path| !user.is_some_and(|user| place::same(user, path))) {
            files.add(program, path, Owner::Project)?;
        }
        Ok(files)
    }

    /// What the file of a project sets, to be told before it is used; `None` where it sets nothing here.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The parameters, lowest layer first, each with its source.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.parameters.iter().map(|(source, value)| (source.as_str(), value))
    }

    /// Completes the model and the budget of a run that begins: what the command line leaves open is taken from the files.
    pub fn fill_models(&self, args: &mut ModelArgs) {
        args.model = args.model.take().or_else(|| self.shared.model.clone());
        self.fill_budget(args);
    }

    /// Completes the sources of a run that begins.
    pub fn fill_sources(&self, args: &mut SourceArgs) {
        if args.search.is_empty() {
            args.search.clone_from(&self.shared.search);
        }
        if args.corpus.is_empty() {
            args.corpus.clone_from(&self.shared.corpus);
        }
    }

    /// Completes the budget of a run that goes on: it keeps its model and its sources.
    pub fn fill_budget(&self, args: &mut ModelArgs) {
        args.budget = args.budget.take().or_else(|| self.shared.budget.clone());
    }

    /// The model for a program that runs nothing: the one that was named, else that of the files.
    pub fn model(&self, named: Option<&ModelSpecs>) -> Option<ModelSpecs> {
        named.cloned().or_else(|| self.shared.model.clone())
    }

    /// The store of runs: the one that was named, else that of the user's file.
    pub(crate) fn store(&self, named: Option<StoreKind>) -> StoreKind {
        named.or(self.shared.store).unwrap_or_default()
    }

    fn add(&mut self, program: &str, path: &Path, owner: Owner) -> Result<(), CliError> {
        let text = std::fs::read_to_string(path).map_err(CliError::io("read the parameters in", path))?;
        let tables: Map<String, Value> = toml::from_str(&text).map_err(|error| CliError::ConfigFile {
            path: path.to_owned(),
            message: error.to_string().trim_end().to_owned(),
        })?;
        let mut set = Vec::new();
        for (name, table) in tables {
            if name != SHARED && !APPLICATIONS.contains(&name.as_str()) {
                let known: Vec<String> = [SHARED].iter().chain(&APPLICATIONS).map(|name| (*name).to_owned()).collect();
                return Err(unknown(&format!("`{}`", path.display()), &name, &known));
            }
            let source = format!("`{}` [{name}]", path.display());
            let Value::Object(fields) = &table else {
                return Err(CliError::WrongParameter {
                    source_name: format!("`{}`", path.display()),
                    key: name.clone(),
                    message: format!("it is no table; write `[{name}]`"),
                });
            };
            if owner == Owner::Project {
                check_project_table(&source, &table, name == SHARED)?;
            }
            if name == SHARED {
                self.shared.take(&source, path, fields, owner)?;
            } else if name != program {
                continue;
            }
            set.extend(fields.keys().map(|key| format!("`{key}`")));
            if name != SHARED {
                self.parameters.push((source, table));
            }
        }
        if owner == Owner::Project && !set.is_empty() {
            let (path, set) = (path.display(), set.join(", "));
            self.notice = Some(format!("`{path}` sets {set}; `--no-config` leaves it out"));
        }
        Ok(())
    }
}

fn unknown(source: &str, key: &str, known: &[String]) -> CliError {
    CliError::UnknownParameter {
        source_name: source.to_owned(),
        key: key.to_owned(),
        nearest: nearest(key, known.iter().map(String::as_str)).map(str::to_owned),
        known: known.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            let place = Self(tempfile::tempdir().unwrap());
            std::fs::create_dir_all(place.0.path().join("project/papers")).unwrap();
            std::fs::create_dir_all(place.0.path().join("elsewhere")).unwrap();
            place
        }

        fn file(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        }

        fn read(&self, user: &str, project: &str) -> Result<ConfigFiles, String> {
            let (user, project) = (self.file("user.toml", user), self.file("project/graphloom.toml", project));
            ConfigFiles::of("writehere", Some(&user), Some(&project)).map_err(|error| error.to_string())
        }
    }

    #[test]
    fn a_project_counts_more_than_its_user_and_less_than_the_command_line() {
        let place = Place::new();
        let user =
            "[shared]\nmodel = 'compatible:m@https://h.example/v1'\nbudget = 'calls=9'\n[obsius]\nanything = 1\n";
        let files =
            place.read(user, "[shared]\ncorpus = 'papers'\nbudget = 'calls=5'\n[writehere]\nlength = 300\n").unwrap();
        let (mut models, mut sources) = (ModelArgs::default(), SourceArgs::default());
        files.fill_models(&mut models);
        files.fill_sources(&mut sources);
        assert_eq!(models.model.unwrap().to_string(), "compatible:m@https://h.example/v1");
        assert_eq!(models.budget.unwrap().calls, Some(5));
        assert_eq!(sources.corpus, [place.0.path().join("project/papers")]);
        let notice = files.notice().unwrap();
        assert!(notice.contains("sets `budget`, `corpus`, `length`; `--no-config` leaves it out"), "{notice}");
        assert_eq!(files.parameters().count(), 1, "parameters of other programs are none of ours");

        let mut models = ModelArgs { model: "embedded".parse().ok(), ..ModelArgs::default() };
        let mut sources = SourceArgs { corpus: vec!["own".into()], ..SourceArgs::default() };
        files.fill_models(&mut models);
        files.fill_sources(&mut sources);
        assert_eq!((models.model.unwrap().to_string().as_str(), sources.corpus), ("embedded", vec!["own".into()]));
        let mut old = ModelArgs::default();
        files.fill_budget(&mut old);
        assert!(old.model.is_none() && old.budget.is_some());
    }

    #[test]
    fn a_project_sets_nothing_dangerous() {
        let place = Place::new();
        for (project, part) in [
            ("[shared]\nmodel = 'compatible:m@https://evil.example/v1'\n", "`model` names a server"),
            ("[shared]\nmodel = 'embedded,write=compatible:m@http://127.0.0.1:1/v1'\n", "`model` names a server"),
            ("[shared]\ncorpus = ['papers', '../elsewhere']\n", "`corpus` names a folder outside"),
            ("[shared]\ncorpus = '/etc'\n", "`corpus` names a folder outside"),
            ("[shared]\nstore = 'sqlite'\n", "`store` names where your runs are kept"),
            ("[deepsearch]\nllm_config.general.api_key = 'sk-1'\n", "`llm_config.general.api_key` names a secret"),
            (
                "[deepsearch]\nllm_config.general.base_url = 'h.example'\n",
                "`llm_config.general.base_url` names an address",
            ),
            ("[pocketflow]\nx = [{ y = 'https://evil.example' }]\n", "`x.y` names an address"),
            (
                "[deepsearch]\nweb_search_engine_config.extension.page_hosts = ['127.0.0.1:8080']\n",
                "page_hosts` names an address",
            ),
        ] {
            let message = place.read("", project).unwrap_err();
            assert!(message.contains(part) && message.contains("project/graphloom.toml"), "{message}");
        }
        assert!(place.read("[deepsearch]\nllm_config.general.api_key = 'sk-1'\n", "").is_ok(), "the user's own may");
    }

    #[test]
    fn mistakes_name_the_file_and_what_fits() {
        let place = Place::new();
        for (user, part) in [
            ("[writehre]\n", "there is no parameter `writehre`; did you mean `writehere`?"),
            ("[shared]\nmodle = 'embedded'\n", "[shared]: there is no parameter `modle`; did you mean `model`?"),
            ("[shared]\nmodel = 7\n", "the parameter `model` cannot be set: write a text"),
            ("[shared]\nmodel = 'gpt-6'\n", "the parameter `model` cannot be set: "),
            ("[shared]\nsearch = ['bing']\n", "`bing` is no engine; there are `local`"),
            ("[shared]\nbudget = 'calls'\n", "the parameter `budget` cannot be set: "),
            ("[shared]\nstore = 'floppy'\n", "this is no store; there are `sqlite`"),
            ("shared = 1\n", "it is no table"),
            ("[shared\n", "is not a file of parameters"),
        ] {
            let message = place.read(user, "").unwrap_err();
            assert!(message.contains(part) && message.contains("user.toml"), "{user}: {message}");
        }
    }
}
