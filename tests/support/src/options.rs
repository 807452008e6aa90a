//! Whether every option of a program changes something that can be seen.
//!
//! A program's test has a [`Case`] for each of its options. The options that every program has are cased here, once.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::described::line;

/// An option, a line without it and one with it, and what differs.
#[derive(Clone, Copy, Debug)]
pub struct Case<'c> {
    /// The option, as `--option`.
    pub option: &'c str,
    /// A whole line without the option.
    pub without: &'c [&'c str],
    /// The same with it.
    pub with: &'c [&'c str],
    /// What tells the two apart.
    pub seen: OptionEffect<'c>,
}

impl<'c> Case<'c> {
    /// The case of a row of a table.
    pub fn of((option, without, with, seen): &'c (&'c str, Vec<&'c str>, Vec<&'c str>, OptionEffect<'c>)) -> Self {
        Self { option, without, with, seen: *seen }
    }
}

/// The visible effect of an option.
#[derive(Clone, Copy, Debug)]
pub enum OptionEffect<'c> {
    /// The program prints this, and not without the option.
    Shows(&'c str),
    /// The program does not print this, and does without the option.
    Hides(&'c str),
    /// There is this file with this text in it, and not without the option.
    Writes(&'c str, &'c str),
}

/// The program of a test.
#[derive(Clone, Copy, Debug)]
pub struct Program<'p> {
    /// The binary.
    pub path: &'p Path,
    /// Words that list runs.
    pub list: &'p [&'p str],
    /// Words that ask the model of [`MODEL`].
    pub ask: &'p [&'p str],
}

/// A model on another machine. It is reached through a proxy on this one, or not at all.
pub const MODEL: &str = "compatible:m@http://h.example/v1";

/// Checks that every option of a program has a case here or among `cases`, and that each changes what it says. `prepare`
/// fills a directory before each of its two lines, which run in it.
///
/// # Panics
/// When an option has no case, a case no option, or an option changes nothing.
pub fn check(program: Program<'_>, prepare: impl Fn(&Path), cases: &[Case<'_>]) {
    let offered = line(program.path).options;
    let own: BTreeSet<String> = cases.iter().map(|case| case.option.to_owned()).collect();
    let shared: BTreeSet<String> = SHARED.iter().map(|option| (*option).to_owned()).collect();
    let missing: Vec<_> = offered.iter().filter(|option| !own.contains(*option) && !shared.contains(*option)).collect();
    assert!(missing.is_empty(), "without a case: {missing:?}");
    let gone: Vec<_> = own.iter().chain(&shared).filter(|option| !offered.contains(*option)).collect();
    assert!(gone.is_empty(), "a case, but no option: {gone:?}");
    of_all(program);
    for case in cases {
        run(program, &prepare, case);
    }
}

/// Checks that a program offers just those options of which it is said, with the options that it does not have.
///
/// # Panics
/// When it offers another option, or not one of these.
pub fn offers<'o>(program: &Path, said: impl IntoIterator<Item = (&'o str, bool)>) {
    let offered = line(program).options;
    for (option, is_served) in said {
        assert_eq!(offered.contains(option), is_served, "`{option}`");
    }
}

/// The options of every program.
const SHARED: [&str; 14] = [
    "--ca-file",
    "--color",
    "--data-dir",
    "--help",
    "--json",
    "--log",
    "--log-format",
    "--no-config",
    "--offline",
    "--proxy",
    "--quiet",
    "--store",
    "--verbose",
    "--version",
];

fn of_all(program: Program<'_>) {
    // Nothing was ever run there.
    let prepare = |_: &Path| {};
    let proxy = refusing();
    let proxy = ["--proxy", proxy.as_str()];
    let list = |more: &[&'static str]| [program.list, more].concat();
    let ask = |more: &[&'static str]| [program.ask, &proxy, more].concat();
    let rows: [(&str, Vec<&str>, Vec<&str>, OptionEffect<'_>); 14] = [
        ("--help", list(&[]), list(&["--help"]), OptionEffect::Shows("Usage:")),
        ("--version", vec!["--help"], vec!["--version"], OptionEffect::Hides("Usage:")),
        ("--data-dir", list(&[]), list(&["--data-dir", "elsewhere"]), OptionEffect::Shows("elsewhere")),
        ("--store", list(&[]), list(&["--store", "encrypted"]), OptionEffect::Shows("threads-encrypted.db")),
        ("--no-config", list(&[]), list(&["--no-config"]), OptionEffect::Hides("graphloom.toml` sets `budget`")),
        ("--json", list(&[]), list(&["--json"]), OptionEffect::Shows("\"event\":\"result\"")),
        ("--quiet", list(&[]), list(&["--quiet"]), OptionEffect::Hides("there are no runs")),
        ("--color", list(&["--json=no"]), list(&["--json=no", "--color", "always"]), OptionEffect::Shows("\u{1b}[")),
        ("--verbose", ask(&[]), ask(&["-vvv"]), OptionEffect::Shows("DEBUG")),
        ("--log", ask(&[]), ask(&["--log", "log"]), OptionEffect::Writes("log", "DEBUG")),
        (
            "--log-format",
            ask(&["--log", "log"]),
            ask(&["--log", "log", "--log-format", "json"]),
            OptionEffect::Writes("log", "\"level\":\"DEBUG\""),
        ),
        ("--offline", ask(&[]), ask(&["--offline"]), OptionEffect::Shows("`--offline`")),
        ("--proxy", [program.ask, &["--offline"]].concat(), ask(&[]), OptionEffect::Shows("400")),
        ("--ca-file", list(&[]), list(&["--ca-file", "absent.pem"]), OptionEffect::Shows("absent.pem")),
    ];
    assert!(SHARED.iter().all(|option| rows.iter().any(|row| row.0 == *option)), "an option of all without a case");
    for row in &rows {
        run(program, &prepare, &Case::of(row));
    }
}

/// The address of a server on this machine that refuses every request, for as long as the test lasts.
fn refusing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut request = [0; 64 * 1024];
                let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno";
                // Who goes away before the answer wants none.
                stream.read(&mut request).and_then(|_| stream.write_all(answer.as_bytes())).ok();
            });
        }
    });
    format!("http://{address}")
}

fn run(program: Program<'_>, prepare: &impl Fn(&Path), case: &Case<'_>) {
    let [(without, in_vain), (with, printed)] = [case.without, case.with].map(|words| {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::write(dir.path().join("graphloom.toml"), "[shared]\nbudget = 'calls=100'\n").expect("a file");
        prepare(dir.path());
        let done = output(program.path, dir.path(), words);
        let printed = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        assert!(!printed.contains("panicked"), "{words:?}: {printed}");
        let is_there = match case.seen {
            OptionEffect::Shows(part) => printed.contains(part),
            OptionEffect::Hides(part) => !printed.contains(part),
            OptionEffect::Writes(file, part) => {
                std::fs::read_to_string(dir.path().join(file)).is_ok_and(|text| text.contains(part))
            }
        };
        (is_there, printed)
    });
    let Case { option, seen, .. } = case;
    assert!(!without, "`{option}` is not needed: {seen:?} without it, by {:?}:\n{in_vain}", case.without);
    assert!(with, "`{option}` changes nothing: not {seen:?} by {:?}:\n{printed}", case.with);
}

fn output(program: &Path, dir: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(words).current_dir(dir).stdin(Stdio::null());
    // Nothing but what the test states, and no way to anybody else.
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", dir).env("GRAPHLOOM_HOME", dir.join("home")).env("LLM_PROBE", "0").env("GRAPHLOOM_NO_PIP", "1");
    command.env("RAYON_NUM_THREADS", "1").env("COLUMNS", "120").env("GRAPHLOOM_STORE_KEY", "11".repeat(32));
    // A request that no option sends elsewhere ends at a port of this machine where nobody listens.
    command.env("HTTP_PROXY", "http://127.0.0.1:9").env("HTTPS_PROXY", "http://127.0.0.1:9");
    if words.contains(&"--log") {
        // Little is logged by itself in a run that fails at once.
        command.env("RUST_LOG", "debug");
    }
    command.output().expect("the program runs")
}

/// Copies a directory with all that is in it, for a `prepare` that needs what a run has left.
///
/// # Panics
/// When a file cannot be copied.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("the directory is read") {
        let from = entry.expect("an entry").path();
        let to = to.join(from.file_name().unwrap_or_default());
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(&from, &to).expect("the file is copied");
        }
    }
}
