//! `graphloom new`: a crate with a graph, its tests and its CI, made of a template.

mod crate_name;
mod source;
mod template;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use graphloom_cli::{CliError, ExitStatus, Failure, Progress, quoted};
use serde_json::{Value, json};

use crate_name::CrateName;
use source::Source;
use template::{NewFile, Template};

#[derive(Args, Debug)]
pub(crate) struct NewArgs {
    /// The name of the crate, and of the folder that is made for it in the working directory
    #[arg(required_unless_present = "list")]
    name: Option<CrateName>,
    /// What the crate begins with
    #[arg(long, value_enum, default_value_t = Template::Minimal, value_name = "TEMPLATE")]
    template: Template,
    /// A checkout of Graphloom to build with; by default that around the working directory, else the registry's version
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// List the templates
    #[arg(long, conflicts_with_all = ["name", "path"])]
    list: bool,
}

pub(crate) fn run(args: NewArgs, progress: &Progress) -> Result<ExitStatus, Failure> {
    let (text, value) = match args.name {
        Some(name) => {
            let here = std::env::current_dir().map_err(CliError::io("read", "."))?;
            make(&name, args.template, args.path.as_deref(), &here)?
        }
        None => list(),
    };
    progress.result(ExitStatus::Done, &text, &value)?;
    Ok(ExitStatus::Done)
}

fn list() -> (String, Value) {
    let mut text = String::new();
    let mut rows = Vec::new();
    for template in Template::value_variants() {
        text.push_str(&format!("{:8}  {}\n", template.name(), template.about()));
        rows.push(json!({"template": template.name(), "about": template.about()}));
    }
    (text, json!({"templates": rows}))
}

fn make(
    name: &CrateName,
    template: Template,
    checkout: Option<&Path>,
    here: &Path,
) -> Result<(String, Value), CliError> {
    let folder = here.join(name.as_str());
    check_free(&folder)?;
    let source = Source::choose(checkout, here)?;
    let mut files = template.files(name, &source);
    if source::is_in_a_workspace(here) {
        files.iter_mut().filter(|file| file.path == "Cargo.toml").for_each(|file| {
            file.text
                .push_str("\n# The folder lies inside of a workspace that this crate is no part of.\n[workspace]\n");
        });
    }
    write(&folder, &files)?;

    let (count, from) = (files.len(), source.description());
    let shown = name.as_str();
    let text = format!(
        "`{shown}` has {count} files of the template `{}`; {from}\nnext:\n  cd {}\n  cargo run{}\n  cargo test\n",
        template.name(),
        quoted(shown),
        template.first_words(),
    );
    let paths: Vec<&str> = files.iter().map(|file| file.path).collect();
    let value =
        json!({"crate": shown, "folder": folder, "template": template.name(), "files": paths, "graphloom": source});
    Ok((text, value))
}

/// Nothing that is there already is touched; an empty folder is nothing.
fn check_free(folder: &Path) -> Result<(), CliError> {
    let taken = || {
        let shown = folder.display();
        CliError::usage(format!("`{shown}` is there already and is not empty; choose another name, or move it away"))
    };
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().map_or(Ok(()), |_| Err(taken())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(taken()),
        Err(error) => Err(CliError::io("read", folder)(error)),
    }
}

/// Writes the files into a folder beside the new one, which then gets its name: it is there whole or not at all.
fn write(folder: &Path, files: &[NewFile]) -> Result<(), CliError> {
    let parent = folder.parent().unwrap_or(folder);
    let aside = tempfile::Builder::new().prefix(".graphloom-new-").tempdir_in(parent);
    let aside = aside.map_err(CliError::io("make a folder in", parent))?;
    let whole = aside.path().join("crate");
    for file in files {
        let path = whole.join(file.path);
        let beside = path.parent().unwrap_or(&whole);
        fs::create_dir_all(beside).map_err(CliError::io("make", beside))?;
        fs::write(&path, &file.text).map_err(CliError::io("write", &path))?;
    }
    // Some systems give no folder the name of one that is there, though it be empty.
    if let Err(error) = fs::remove_dir(folder)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(CliError::io("replace", folder)(error));
    }
    fs::rename(&whole, folder).map_err(CliError::io("make", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_in_between_is_not_overwritten_and_nothing_half_made_stays() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("ideas");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("mine"), "mine").unwrap();
        let files = [NewFile { path: "src/lib.rs", text: String::new() }];
        let error = write(&folder, &files).unwrap_err().to_string();
        assert!(error.contains("cannot replace `"), "{error}");
        assert_eq!(fs::read_to_string(folder.join("mine")).unwrap(), "mine");

        let file_that_is_a_folder = NewFile { path: "src", text: String::new() };
        let files = [NewFile { path: "src/lib.rs", text: String::new() }, file_that_is_a_folder];
        assert!(write(&place.path().join("other"), &files).is_err());
        let left: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["ideas"]);
    }
}
