//! Which options a command of a program offers.
//!
//! A command reads the options that its definition has, and no others. Those that clap calls global may also stand before
//! it, so the program knows them all; a command that does not have one hides it, and refuses it by naming the commands that
//! do. An option of another program is refused by naming the programs.

use std::collections::BTreeMap;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, Id};

use super::programs::{grouped, serving};

/// A command line whose commands offer what they serve.
pub(crate) struct Offer {
    /// The whole definition, to parse with.
    pub(crate) command: Command,
    /// Arguments that each command knows and does not serve, by the path of the command.
    refused: BTreeMap<Vec<String>, Vec<Id>>,
}

impl Offer {
    /// Makes the global options of every command known to the whole line, and hidden where they are not served.
    pub(crate) fn of(command: Command) -> Self {
        let mut refused = BTreeMap::new();
        let command = with_global_options_of_subcommands(command, &mut Vec::new(), &grouped(), &mut refused);
        Self { command, refused }
    }

    /// Refuses options that were written on the line for a command that does not serve them.
    pub(crate) fn check(&self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let (mut at, mut path) = (matches, Vec::new());
        while let Some((name, below)) = at.subcommand() {
            path.push(name.to_owned());
            at = below;
        }
        let written = |id: &&Id| at.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let Some(id) = self.refused.get(&path).into_iter().flatten().find(written) else { return Ok(()) };
        let option = long_of(&self.command, id).unwrap_or_else(|| id.to_string());
        let message = format!("`{option}` is an option of {}", listed(&self.commands_with(&option)));
        Err(refusal(&self.command, &path, message))
    }

    /// The error for an option that this command line does not know, where another command or program does.
    pub(crate) fn explained(&self, error: clap::Error, words: &[String]) -> clap::Error {
        if error.kind() != ErrorKind::UnknownArgument {
            return error;
        }
        let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidArg) else { return error };
        let option = written.split('=').next().unwrap_or(written).to_owned();
        let commands = self.commands_with(&option);
        let path = self.path_of(words);
        if !commands.is_empty() {
            let mut message = format!("`{option}` is an option of {}", listed(&commands));
            if commands.contains(&self.name_of(&path)) {
                message.push_str("; it stands behind the command");
            }
            return refusal(&self.command, &path, message);
        }
        let own = self.command.get_name();
        match serving(own, &option) {
            [] => error,
            programs => {
                let programs: Vec<String> = programs.iter().map(|name| (*name).to_owned()).collect();
                let message = format!("`{option}` is an option of {}, not of `{own}`", listed(&programs));
                refusal(&self.command, &path, message)
            }
        }
    }

    /// The commands that serve an option, by the words that call them.
    fn commands_with(&self, option: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![(&self.command, Vec::new())];
        while let Some((command, path)) = open.pop() {
            let refused = self.refused.get(&path);
            let serves = |arg: &Arg| {
                let is_served = !refused.is_some_and(|refused| refused.contains(arg.get_id()));
                arg.get_long().is_some_and(|long| option.strip_prefix("--") == Some(long)) && is_served
            };
            if command.get_arguments().any(serves) {
                found.push(self.name_of(&path));
            }
            let below: Vec<_> = command.get_subcommands().collect();
            open.extend(
                below.into_iter().rev().map(|below| (below, [&path[..], &[below.get_name().to_owned()]].concat())),
            );
        }
        found
    }

    /// The words that call a command.
    fn name_of(&self, path: &[String]) -> String {
        let words = std::iter::once(self.command.get_name()).chain(path.iter().map(String::as_str));
        words.collect::<Vec<_>>().join(" ")
    }

    /// The command that a line calls, as far as its words tell.
    fn path_of(&self, words: &[String]) -> Vec<String> {
        let (mut command, mut path) = (&self.command, Vec::new());
        for word in words {
            if let Some(below) = command.find_subcommand(word) {
                path.push(below.get_name().to_owned());
                command = below;
            }
        }
        path
    }
}

/// The command with the global options of those below it.
fn with_global_options_of_subcommands(
    mut command: Command,
    path: &mut Vec<String>,
    grouped: &[Id],
    refused: &mut BTreeMap<Vec<String>, Vec<Id>>,
) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    for name in &names {
        path.push(name.clone());
        command =
            command.mut_subcommand(name, |below| with_global_options_of_subcommands(below, path, grouped, refused));
        path.pop();
    }
    let own: Vec<Id> = globals(&command).map(|arg| arg.get_id().clone()).collect();
    let mut of_below: Vec<Arg> = Vec::new();
    for arg in command.get_subcommands().flat_map(globals) {
        if !own.contains(arg.get_id()) && of_below.iter().all(|known| known.get_id() != arg.get_id()) {
            of_below.push(arg.clone());
        }
    }
    // What a command has itself and no group knows is for all commands below it, as clap has it.
    let restricted: Vec<Arg> = globals(&command)
        .filter(|arg| grouped.contains(arg.get_id()))
        .chain(&of_below)
        .map(|arg| arg.clone().hide(true))
        .collect();
    if !of_below.is_empty() {
        refused.entry(path.clone()).or_default().extend(of_below.iter().map(|arg| arg.get_id().clone()));
        command = command.args(of_below);
    }
    for name in &names {
        command = command.mut_subcommand(name, |mut below| {
            path.push(name.clone());
            for arg in &restricted {
                if below.get_arguments().all(|known| known.get_id() != arg.get_id()) {
                    refuse_below(&below, path, arg.get_id(), refused);
                    below = below.arg(arg.clone());
                }
            }
            path.pop();
            below
        });
    }
    command
}

/// Notes that neither a command nor those below it serve an argument.
fn refuse_below(command: &Command, path: &mut Vec<String>, id: &Id, refused: &mut BTreeMap<Vec<String>, Vec<Id>>) {
    refused.entry(path.clone()).or_default().push(id.clone());
    for below in command.get_subcommands() {
        path.push(below.get_name().to_owned());
        refuse_below(below, path, id, refused);
        path.pop();
    }
}

/// The same command line to be described: each command has the options that it serves, and none that only may stand there.
pub(crate) fn only_served_options(command: Command) -> Command {
    only_served_options_below(command, &[], &grouped())
}

fn only_served_options_below(mut command: Command, inherited: &[Arg], grouped: &[Id]) -> Command {
    for arg in inherited {
        if command.get_arguments().all(|known| known.get_id() != arg.get_id()) {
            command = command.arg(arg.clone());
        }
    }
    let passed: Vec<Arg> = globals(&command).filter(|arg| !grouped.contains(arg.get_id())).cloned().collect();
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |below| only_served_options_below(below, &passed, grouped));
    }
    command.mut_args(|arg| arg.global(false))
}

fn globals(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| arg.is_global_set())
}

fn long_of(command: &Command, id: &Id) -> Option<String> {
    let arg = command.get_arguments().find(|arg| arg.get_id() == id)?;
    Some(format!("--{}", arg.get_long()?))
}

/// Names in one text: `a`, `b` and `c`.
fn listed(names: &[String]) -> String {
    let mut names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match (names.pop(), names.is_empty()) {
        (Some(last), true) => last,
        (Some(last), false) => format!("{} and {last}", names.join(", ")),
        (None, _) => String::new(),
    }
}

/// An error with the usage of the command that was called.
fn refusal(command: &Command, path: &[String], message: String) -> clap::Error {
    let mut command = command.clone();
    command.build();
    refused_at(&mut command, path, message)
}

fn refused_at(command: &mut Command, path: &[String], message: String) -> clap::Error {
    let Some((name, rest)) = path.split_first() else { return command.error(ErrorKind::UnknownArgument, message) };
    match command.find_subcommand_mut(name) {
        Some(below) => refused_at(below, rest, message),
        None => command.error(ErrorKind::UnknownArgument, message),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

    use super::*;
    use crate::{BaseArgs, ConsentArgs, ModelArgs, SourceArgs, ThreadArgs};

    #[derive(Parser, Debug)]
    #[command(name = "graphloom")]
    struct Line {
        #[command(subcommand)]
        command: Option<Commands>,
        #[command(flatten)]
        root: Root,
        /// For every command
        #[arg(long, global = true)]
        everywhere: bool,
        #[command(flatten)]
        base: BaseArgs,
    }

    /// What the program does without a command.
    #[derive(Args, Debug)]
    struct Root {
        #[command(flatten)]
        consent: ConsentArgs,
    }

    #[derive(Subcommand, Debug)]
    enum Commands {
        Report {
            request: String,
            #[arg(long)]
            length: Option<u32>,
            #[command(flatten)]
            models: ModelArgs,
            #[command(flatten)]
            thread: ThreadArgs,
        },
        Resume {
            thread: String,
            #[command(flatten)]
            models: ModelArgs,
        },
        Runs {
            #[command(subcommand)]
            command: Nested,
        },
    }

    #[derive(Subcommand, Debug)]
    enum Nested {
        List,
        Find(SourceArgs),
    }

    fn read(words: &[&str]) -> Result<Line, String> {
        let offer = Offer::of(Line::command());
        let given: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let matches = offer.command.clone().try_get_matches_from([&["graphloom"], words].concat());
        let matches = matches.map_err(|error| offer.explained(error, &given).to_string())?;
        offer.check(&matches).map_err(|error| error.to_string())?;
        Line::from_arg_matches(&matches).map_err(|error| error.to_string())
    }

    #[test]
    fn the_definition_is_sound() {
        Offer::of(Line::command()).command.debug_assert();
    }

    #[test]
    fn options_stand_before_or_behind_the_command_that_serves_them() {
        for words in [
            &["--model", "scripted:s", "--thread", "t", "--yes", "--json", "report", "tides"][..],
            &["report", "tides", "--model", "scripted:s", "--thread", "t", "--yes", "--json"],
            &["--thread", "t", "report", "--json", "tides", "--yes", "--model", "scripted:s"],
        ] {
            let line = read(words).unwrap();
            assert!(line.base.json, "{words:?}");
            let Some(Commands::Report { request, models, thread, length }) = line.command else { panic!("{words:?}") };
            assert_eq!((request.as_str(), thread.thread.as_deref(), length), ("tides", Some("t"), None), "{words:?}");
            assert_eq!(models.model.unwrap().to_string(), "scripted:s", "{words:?}");
            assert!(models.consent.yes, "{words:?}");
        }
        for words in [&["--corpus", "a", "runs", "find", "--corpus", "b"][..], &["runs", "--corpus", "b", "find"]] {
            let Some(Commands::Runs { command: Nested::Find(sources) }) = read(words).unwrap().command else {
                panic!("{words:?}")
            };
            assert_eq!(sources.corpus, ["b"].map(std::path::PathBuf::from), "{words:?}");
        }
        assert!(read(&["--everywhere", "runs", "list", "--json"]).unwrap().everywhere, "clap's own meaning stays");
        assert!(read(&["--yes"]).unwrap().root.consent.yes);
    }

    #[test]
    fn an_option_that_is_not_served_names_who_serves_it() {
        for (words, expected) in [
            (
                &["runs", "list", "--budget", "calls=1"][..],
                "`--budget` is an option of `graphloom report` and `graphloom resume`",
            ),
            (
                &["--budget", "calls=1", "runs", "list"],
                "`--budget` is an option of `graphloom report` and `graphloom resume`",
            ),
            (&["--thread", "t", "resume", "x"], "`--thread` is an option of `graphloom report`"),
            (&["resume", "x", "--thread", "t"], "`--thread` is an option of `graphloom report`"),
            (&["report", "x", "--corpus", "a"], "`--corpus` is an option of `graphloom runs find`"),
            (&["--model", "embedded"], "`--model` is an option of `graphloom report` and `graphloom resume`"),
            (
                &["runs", "list", "--yes"],
                "`--yes` is an option of `graphloom`, `graphloom report` and `graphloom resume`",
            ),
            (&["resume", "x", "--length", "3"], "`--length` is an option of `graphloom report`\n"),
            (
                &["--length=3", "report", "x"],
                "`--length` is an option of `graphloom report`; it stands behind the command",
            ),
            (&["report", "x", "--out", "a"], "of `writehere`, `pocketflow` and `deepsearch`, not of `graphloom`"),
            (&["report", "x", "--prompts=a"], "of `writehere`, `obsius` and `pocketflow`, not of `graphloom`"),
            (&["report", "x", "--nothing"], "unexpected argument '--nothing'"),
        ] {
            let message = read(words).unwrap_err();
            assert!(message.contains(expected), "{words:?}: {message}");
        }
    }

    #[test]
    fn a_description_has_for_each_command_what_it_serves() {
        let command = only_served_options(Line::command());
        let options = |path: &[&str]| {
            let below = path.iter().fold(&command, |command, name| command.find_subcommand(name).unwrap());
            below.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect::<Vec<_>>()
        };
        for (path, there, absent) in [
            (&[][..], &["yes", "json", "everywhere"][..], &["model"][..]),
            (&["report"], &["yes", "json", "everywhere", "model", "length"], &["corpus"]),
            (&["runs", "list"], &["json", "everywhere"], &["yes", "model", "corpus"]),
            (&["runs", "find"], &["json", "corpus"], &["model"]),
        ] {
            let options = options(path);
            assert!(there.iter().all(|option| options.iter().any(|one| one == option)), "{path:?}: {options:?}");
            assert!(absent.iter().all(|option| options.iter().all(|one| one != option)), "{path:?}: {options:?}");
        }
    }

    #[test]
    fn help_names_what_is_served() {
        let help = |words: &[&str]| {
            let mut command = Offer::of(Line::command()).command;
            let error = command.try_get_matches_from_mut([&["graphloom"], words, &["--help"]].concat()).unwrap_err();
            error.to_string()
        };
        for (words, there, absent) in [
            (&[][..], &["--model", "--corpus", "--yes"][..], &["--length"][..]),
            (&["report"], &["--model", "--length", "--everywhere", "--json"], &["--corpus"]),
            (&["runs", "list"], &["--json", "--everywhere"], &["--model", "--corpus", "--yes"]),
            (&["runs", "find"], &["--corpus"], &["--model"]),
        ] {
            let help = help(words);
            assert!(there.iter().all(|option| help.contains(option)), "{words:?}: {help}");
            assert!(absent.iter().all(|option| !help.contains(option)), "{words:?}: {help}");
        }
    }
}
