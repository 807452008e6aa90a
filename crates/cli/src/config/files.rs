//! `graphloom.toml`: what a user and a project want in every run, without saying it each time.
//!
//! The user's file lies in their configuration directory, or in the directory of `--data-dir` or `GRAPHLOOM_HOME`. The
//! file of a project lies in the working directory or above it, up to the repository or the home directory, and what it
//! says counts more. The table `[shared]` has options, a table of a program's name its parameters.
//!
//! A project may come from anywhere, so its file sets no secret and no address, and names no document outside of the
//! project: a key or a text could leave the machine that way.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use graphloom_llm::layers::Budget;
use graphloom_llm::resolve::{ModelSpec, ModelSpecs};
use serde_json::{Map, Value};

use super::{address, nearest, secret};
use crate::{BaseArgs, CliError, CommonArgs, DataDir, SearchEngine, StoreKind};

/// The name of both files.
const NAME: &str = "graphloom.toml";

/// The table of options.
const SHARED: &str = "shared";

/// The programs that have parameters.
const PROGRAMS: [&str; 4] = ["writehere", "obsius", "pocketflow", "deepsearch"];

/// What the files say about one program.
#[derive(Clone, Debug, Default)]
pub struct ConfigFiles {
    shared: Shared,
    /// Parameters of the program with the file that sets them, the user's first.
    parameters: Vec<(String, Value)>,
    /// What the file of a project sets, in one line.
    notice: Option<String>,
}

/// Options, where a file gives them.
#[derive(Clone, Debug, Default)]
struct Shared {
    model: Option<ModelSpecs>,
    search: Vec<SearchEngine>,
    corpus: Vec<PathBuf>,
    budget: Option<Budget>,
    store: Option<StoreKind>,
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
        // Without a home directory there is no file of the user.
        let user = DataDir::new(args.data_dir.as_deref()).ok().map(|dirs| dirs.config().join(NAME));
        let here = std::env::current_dir().ok();
        let project = here.and_then(|here| above(&here, dirs::home_dir().as_deref()));
        Self::of(program, user.as_deref(), project.as_deref())
    }

    fn of(program: &str, user: Option<&Path>, project: Option<&Path>) -> Result<Self, CliError> {
        let mut files = Self::default();
        if let Some(path) = user.filter(|path| path.is_file()) {
            files.add(program, path, Owner::User)?;
        }
        if let Some(path) = project.filter(|path| !user.is_some_and(|user| same(user, path))) {
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

    /// The options of a run that begins: what the command line leaves open is taken from the files.
    pub fn for_new_run(&self, given: &CommonArgs) -> CommonArgs {
        let mut args = self.for_old_run(given);
        args.model = args.model.or_else(|| self.shared.model.clone());
        if args.search.is_empty() {
            args.search.clone_from(&self.shared.search);
        }
        if args.corpus.is_empty() {
            args.corpus.clone_from(&self.shared.corpus);
        }
        args
    }

    /// The options of a run that goes on: it keeps its model and its sources, so only the budget is taken from the files.
    pub fn for_old_run(&self, given: &CommonArgs) -> CommonArgs {
        let mut args = given.clone();
        args.budget = args.budget.or_else(|| self.shared.budget.clone());
        args
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
            if name != SHARED && !PROGRAMS.contains(&name.as_str()) {
                let known: Vec<String> = [SHARED].iter().chain(&PROGRAMS).map(|name| (*name).to_owned()).collect();
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
                harmless(&source, &table, name == SHARED)?;
            }
            if name == SHARED {
                self.share(&source, path, fields, owner)?;
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

    /// Takes over the options of `[shared]`.
    fn share(&mut self, source: &str, path: &Path, fields: &Map<String, Value>, owner: Owner) -> Result<(), CliError> {
        const OPTIONS: [&str; 5] = ["model", "search", "corpus", "budget", "store"];
        let base = path.parent().unwrap_or(Path::new("."));
        for (key, value) in fields {
            let wrong = |message: String| CliError::WrongParameter {
                source_name: source.to_owned(),
                key: key.clone(),
                message,
            };
            let texts = texts(value).ok_or_else(|| wrong("write a text, or a list of texts".to_owned()))?;
            let one = || match texts.as_slice() {
                [one] => Ok(one.as_str()),
                _ => Err(wrong("write one text".to_owned())),
            };
            match key.as_str() {
                "model" => {
                    let specs: ModelSpecs = one()?.parse().map_err(|error| wrong(format!("{error}")))?;
                    let remote = |spec: &&ModelSpec| matches!(spec, ModelSpec::Compatible { .. });
                    if owner == Owner::Project && specs.all().into_iter().any(|spec| remote(&spec)) {
                        return Err(refused(source, key, "a server, which would get your texts and your key"));
                    }
                    self.shared.model = Some(specs);
                }
                "search" => {
                    let names = texts.iter().flat_map(|text| text.split(',')).map(str::trim);
                    let engine = |name| {
                        SearchEngine::from_str(name, true).map_err(|_| {
                            let known: Vec<String> =
                                SearchEngine::value_variants().iter().map(|engine| format!("`{engine}`")).collect();
                            wrong(format!("`{name}` is no engine; there are {}", known.join(", ")))
                        })
                    };
                    self.shared.search = names.map(engine).collect::<Result<_, _>>()?;
                }
                "corpus" => {
                    let folders: Vec<PathBuf> = texts.iter().map(|text| base.join(text)).collect();
                    if owner == Owner::Project && !folders.iter().all(|folder| lies_in(folder, base)) {
                        return Err(refused(source, key, "a folder outside of the project"));
                    }
                    self.shared.corpus = folders;
                }
                "budget" => {
                    self.shared.budget = Some(one()?.parse().map_err(|error| wrong(format!("{error}")))?);
                }
                "store" => {
                    if owner == Owner::Project {
                        return Err(refused(source, key, "where your runs are kept"));
                    }
                    let kind = StoreKind::from_str(one()?, true);
                    let known = "there are `sqlite`, `encrypted`, `postgres`";
                    self.shared.store = Some(kind.map_err(|_| wrong(format!("this is no store; {known}")))?);
                }
                _ => return Err(unknown(source, key, &OPTIONS.map(str::to_owned))),
            }
        }
        Ok(())
    }
}

/// The file of a project: that of the directory, or of one above it that belongs to the same repository or to the user.
/// Elsewhere, such as in a directory for everybody's files, only the directory itself is looked at.
fn above(here: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let ends = |dir: &Path| dir.join(".git").exists() || home.is_some_and(|home| same(home, dir));
    let levels = here.ancestors().position(ends).map_or(1, |at| at + 1);
    here.ancestors().take(levels).map(|dir| dir.join(NAME)).find(|file| file.is_file())
}

fn same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    whole(one) == whole(other)
}

/// Whether a folder lies in another one. One that is not there is told later, and is outside.
fn lies_in(folder: &Path, base: &Path) -> bool {
    let base = std::fs::canonicalize(if base.as_os_str().is_empty() { Path::new(".") } else { base });
    matches!((std::fs::canonicalize(folder), base), (Ok(folder), Ok(base)) if folder.starts_with(&base))
}

/// Refuses what a file that came with a project must not set. Each option has a rule of its own for addresses.
fn harmless(source: &str, table: &Value, options: bool) -> Result<(), CliError> {
    if let Some(key) = secret::named_in("", table) {
        return Err(refused(source, &key, "a secret, which others of the project would read"));
    }
    if let Some(key) = address::named_in("", table).filter(|_| !options) {
        return Err(refused(source, &key, "an address, to which your texts and keys could be sent"));
    }
    Ok(())
}

fn refused(source: &str, key: &str, what: &str) -> CliError {
    CliError::usage(format!(
        "{source}: `{key}` names {what}; the file of a project must not set it. Write it into your own `{NAME}` or a file \
         of `--config`, or leave the project's file out with `--no-config`"
    ))
}

fn unknown(source: &str, key: &str, known: &[String]) -> CliError {
    CliError::UnknownParameter {
        source_name: source.to_owned(),
        key: key.to_owned(),
        nearest: nearest(key, known.iter().map(String::as_str)).map(str::to_owned),
        known: known.to_vec(),
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
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
        let args = files.for_new_run(&CommonArgs::default());
        assert_eq!(args.model.unwrap().to_string(), "compatible:m@https://h.example/v1");
        assert_eq!(args.budget.unwrap().calls, Some(5));
        assert_eq!(args.corpus, [place.0.path().join("project/papers")]);
        let notice = files.notice().unwrap();
        assert!(notice.contains("sets `budget`, `corpus`, `length`; `--no-config` leaves it out"), "{notice}");
        assert_eq!(files.parameters().count(), 1, "parameters of other programs are none of ours");

        let given = CommonArgs { model: "embedded".parse().ok(), corpus: vec!["own".into()], ..CommonArgs::default() };
        let args = files.for_new_run(&given);
        assert_eq!((args.model, args.corpus), (given.model, given.corpus));
        let old = files.for_old_run(&CommonArgs::default());
        assert!(old.model.is_none() && old.corpus.is_empty() && old.budget.is_some());
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

    #[test]
    fn a_project_is_looked_for_up_to_its_repository_or_home() {
        let place = Place::new();
        let root = std::fs::canonicalize(place.0.path()).unwrap();
        let inner = root.join("project/papers");
        let file = place.file("project/graphloom.toml", "");
        assert_eq!(above(&inner, None), None, "a directory above belongs to anybody");
        assert_eq!(above(file.parent().unwrap(), None), Some(file.clone()));
        assert_eq!(above(&inner, Some(&root)), Some(root.join("project/graphloom.toml")));
        assert_eq!(above(&inner, Some(&inner)), None, "nothing above the home directory");
        std::fs::create_dir(inner.join(".git")).unwrap();
        assert_eq!(above(&inner, Some(&root)), None, "nothing above the repository");
    }
}
