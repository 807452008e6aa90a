//! Reading a command line, and describing it: every program prints completion scripts and manual pages of itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, ColorChoice, Command, FromArgMatches, Parser, ValueEnum, value_parser};
use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;

use crate::args::{Offer, only_served_options};
use crate::{BaseArgs, CliError, ExitStatus, Failure, Progress};

const COMPLETIONS: &str = "completions";
const MAN: &str = "man";

/// What a command line asks for.
pub(crate) enum Line<A> {
    /// The application's own work.
    Run(A),
    /// A description of the command line.
    Describe(Box<Description>),
}

/// A description of a command line.
pub(crate) struct Description {
    /// Where and how it is printed.
    pub(crate) base: BaseArgs,
    form: Form,
    command: Command,
}

/// In which form a command line is described.
#[derive(Debug, PartialEq)]
enum Form {
    /// A completion script.
    Completions(Shell),
    /// The manual pages, written to a directory; `-` is stdout.
    Man(PathBuf),
}

/// Reads a command line, of which the first word is the program.
///
/// # Errors
/// Help, the version, and what is wrong with the line, in the colours that `--color` asks for.
pub(crate) fn read<A: Parser>(words: Vec<OsString>) -> Result<Line<A>, clap::Error> {
    let offer = Offer::of(with_description_commands(A::command()).color(colours(&words)));
    let arguments: Vec<String> = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut matches =
        offer.command.clone().try_get_matches_from(words).map_err(|error| offer.explained(error, &arguments))?;
    offer.check(&matches)?;
    let mut command = offer.command;
    match form(&matches) {
        Some(form) => match BaseArgs::from_arg_matches(&matches) {
            Ok(base) => {
                let command = only_served_options(with_description_commands(A::command()));
                Ok(Line::Describe(Box::new(Description { base, form, command })))
            }
            Err(error) => Err(error.format(&mut command)),
        },
        None => A::from_arg_matches_mut(&mut matches).map(Line::Run).map_err(|error| error.format(&mut command)),
    }
}

/// The definition of a command line with the subcommands that describe it.
fn with_description_commands(command: Command) -> Command {
    let shell = Arg::new("shell").required(true).value_name("SHELL").help("The shell");
    let completions = Command::new(COMPLETIONS)
        .about("Print a script by which a shell completes this program's subcommands and options")
        .arg(shell.value_parser(value_parser!(Shell)));
    let place = Arg::new("place").required(true).value_name("DIR").value_parser(value_parser!(PathBuf));
    let man = Command::new(MAN)
        .about("Write the manual pages of this program and its subcommands")
        .arg(place.help("Where the pages are written; `-` prints them"));
    command.subcommand(completions).subcommand(man)
}

fn form(matches: &ArgMatches) -> Option<Form> {
    match matches.subcommand()? {
        (COMPLETIONS, matches) => matches.get_one("shell").copied().map(Form::Completions),
        (MAN, matches) => matches.get_one("place").cloned().map(Form::Man),
        _ => None,
    }
}

/// What `--color` says. It is looked for before the line is read, because what is wrong with the line is coloured too.
fn colours(words: &[OsString]) -> ColorChoice {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    let mut choice = ColorChoice::Auto;
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--color") {
            Some("") => words.next(),
            Some(rest) => rest.strip_prefix('=').map(|rest| rest.to_owned().into()),
            None => None,
        };
        choice = value.and_then(|value| ColorChoice::from_str(&value, true).ok()).unwrap_or(choice);
    }
    choice
}

impl Description {
    /// Prints the description, or writes the manual pages to their directory.
    pub(crate) fn print(self, progress: &Progress) -> Result<ExitStatus, Failure> {
        let Self { form, mut command, .. } = self;
        let text = match form {
            Form::Completions(shell) => {
                let name = command.get_name().to_owned();
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut command, name, &mut script);
                String::from_utf8_lossy(&script).into_owned()
            }
            Form::Man(place) => {
                let pages = pages(command)?;
                if place.as_os_str() != "-" {
                    return write_pages(&place, &pages, progress);
                }
                pages.into_iter().map(|(_, page)| page).collect()
            }
        };
        progress.result(ExitStatus::Done, &text, &text)?;
        Ok(ExitStatus::Done)
    }
}

/// Writes manual pages that every user of the machine may read, unlike what a run writes.
fn write_pages(dir: &Path, pages: &[(String, String)], progress: &Progress) -> Result<ExitStatus, Failure> {
    std::fs::create_dir_all(dir).map_err(CliError::io("make the directory", dir))?;
    let mut files = Vec::new();
    for (name, page) in pages {
        let path = dir.join(name);
        std::fs::write(&path, page).map_err(CliError::io("write", &path))?;
        files.push(path.display().to_string());
    }
    progress.result(ExitStatus::Done, &files.join("\n"), &json!({ "files": files }))?;
    Ok(ExitStatus::Done)
}

/// The page of a program and those of its subcommands, with the names of their files.
fn pages(mut command: Command) -> Result<Vec<(String, String)>, Failure> {
    command.build();
    let mut pages = Vec::new();
    let mut open = vec![command];
    while let Some(command) = open.pop() {
        // The page of `help` would say what all pages say.
        let has_page = |below: &&Command| !below.is_hide_set() && below.get_name() != "help";
        let below: Vec<Command> = command.get_subcommands().filter(has_page).cloned().collect();
        open.extend(below.into_iter().rev());
        let man = Man::new(command);
        let mut page = Vec::new();
        man.render(&mut page)?;
        pages.push((man.get_filename(), String::from_utf8_lossy(&page).into_owned()));
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Parser, Debug)]
    #[command(name = "asker")]
    struct Args {
        question: Option<String>,
        #[command(flatten)]
        base: BaseArgs,
    }

    fn read_line(words: &[&str]) -> Result<Line<Args>, clap::Error> {
        read([&["asker"], words].concat().into_iter().map(OsString::from).collect())
    }

    #[test]
    fn a_line_is_work_or_a_description() {
        for (words, question) in [(&[][..], None), (&["tides"], Some("tides")), (&["--", "man"], Some("man"))] {
            match read_line(words) {
                Ok(Line::Run(args)) => assert_eq!(args.question.as_deref(), question),
                _ => panic!("{words:?} is work"),
            }
        }
        let described = read_line(&["man", "-", "--json"]);
        let Ok(Line::Describe(described)) = described else { panic!("`man` describes") };
        assert_eq!((described.form, described.base.json), (Form::Man("-".into()), true));
        for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
            let Ok(Line::Describe(described)) = read_line(&[COMPLETIONS, shell]) else { panic!("{shell} is known") };
            assert!(matches!(described.form, Form::Completions(_)));
        }
        assert!(read_line(&[COMPLETIONS, "csh"]).is_err() && read_line(&[MAN]).is_err());
    }

    #[test]
    fn colours_are_known_before_the_line_is_read() {
        for (words, choice) in [
            (&["asker", "--color", "always", "--wrong"][..], ColorChoice::Always),
            (&["asker", "--color=never"], ColorChoice::Never),
            (&["asker", "--color=purple"], ColorChoice::Auto),
            (&["asker", "--color"], ColorChoice::Auto),
            (&["asker", "--", "--color=always"], ColorChoice::Auto),
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(colours(&words), choice, "{words:?}");
        }
    }
}
