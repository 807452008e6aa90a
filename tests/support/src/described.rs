//! Whether a program's completions and manual pages are those of its command line, as `--help` states it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What `--help` of a program and of its subcommands names.
#[derive(Debug, Default)]
pub struct Line {
    /// Subcommands, each with those above it: `runs`, `runs prune`.
    pub subcommands: BTreeSet<String>,
    /// Long options, as `--option`.
    pub options: BTreeSet<String>,
    /// Options that stand in a help without a word about them.
    pub bare: BTreeSet<String>,
}

/// Reads the help of a program and of all its subcommands.
///
/// # Panics
/// When a help cannot be printed.
pub fn line(program: &Path) -> Line {
    let mut line = Line::default();
    let mut open = vec![Vec::new()];
    while let Some(words) = open.pop() {
        let help = stdout(program, &[&words[..], &["--help".to_owned()]].concat());
        let mut section = "";
        let mut last: Option<(String, bool)> = None;
        for text in help.lines() {
            let indent = text.len() - text.trim_start().len();
            if indent == 0 && text.ends_with(':') {
                section = text;
                continue;
            }
            if section == "Commands:" {
                let name = text.split_whitespace().next().unwrap_or_default();
                if indent == 2 && name != "help" {
                    let below = [words.clone(), vec![name.to_owned()]].concat();
                    line.subcommands.insert(below.join(" "));
                    open.push(below);
                }
                continue;
            }
            let option = text.split_whitespace().find(|word| word.starts_with("--")).filter(|_| {
                let text = text.trim_start();
                indent <= 6 && text.starts_with('-')
            });
            if let Some(option) = option {
                line.bare.extend(last.take().filter(|(_, told)| !told).map(|(name, _)| name));
                let name: String = option.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
                let told = text.trim_start().split("  ").skip(1).any(|rest| !rest.trim().is_empty());
                line.options.insert(name.clone());
                last = Some((name, told));
            } else if let Some((_, told)) = &mut last {
                *told |= indent > 6 && !text.trim_start().starts_with('[');
            }
        }
        line.bare.extend(last.filter(|(_, told)| !told).map(|(name, _)| name));
    }
    line
}

/// Checks the completions of all shells, the printed and the written manual pages, and that every option is described.
///
/// # Panics
/// When a subcommand or an option is missing in one of them.
pub fn check(program: &Path) {
    let line = line(program);
    assert!(line.subcommands.contains("man") && line.options.contains("--json"), "{line:?}");
    assert!(line.bare.is_empty(), "not described in `--help`: {:?}", line.bare);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(program, &["completions".to_owned(), shell.to_owned()]);
        for subcommand in &line.subcommands {
            let name = subcommand.rsplit(' ').next().unwrap_or_default();
            assert!(script.contains(name), "{shell} does not complete `{subcommand}`");
        }
        for option in &line.options {
            // fish names an option without its dashes.
            assert!(script.contains(option.trim_start_matches('-')), "{shell} does not complete `{option}`");
        }
    }
    let place = std::env::temp_dir().join(format!("graphloom-man-{}", std::process::id()));
    let printed = stdout(program, &["man".to_owned(), "-".to_owned()]);
    stdout(program, &["man".to_owned(), place.display().to_string()]);
    let files = std::fs::read_dir(&place).expect("the pages are written").map(|file| file.expect("a page").path());
    let written: Vec<String> = files.map(|file| std::fs::read_to_string(file).expect("a page is text")).collect();
    std::fs::remove_dir_all(&place).expect("the pages are removed");
    assert_eq!(written.len(), line.subcommands.len() + 1, "one page for the program and for each subcommand");
    for pages in [printed, written.concat()] {
        let pages = pages.replace('\\', "");
        for option in &line.options {
            assert!(pages.contains(option.as_str()), "no page names `{option}`");
        }
    }
}

fn stdout(program: &Path, words: &[String]) -> String {
    let mut command = Command::new(program);
    // A help of one width, and no variable that stands for an option.
    command.args(words).env("COLUMNS", "120").env_remove("GRAPHLOOM_MODEL").env_remove("GRAPHLOOM_HOME");
    let done = command.output().expect("the program runs");
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("what is printed is text")
}
