//! MCP servers for tests: published ones, which `.ci/run` installs, and one that says what a test writes down.
//!
//! A test whose server is not there says that it is skipped. Where `GRAPHLOOM_REQUIRE_MCP` is set, as in `.ci/run`, it
//! fails.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The script of an example server of the protocol's own SDK, which the published servers are installed with.
pub fn sdk_example(name: &str) -> Option<PathBuf> {
    let script = folder().join(format!("sdk/dist/esm/examples/server/{name}.js"));
    let there = script.is_file() && runs("node");
    told(there, &format!("the example {name} of the MCP SDK is not installed; `.ci/run` installs it")).then_some(script)
}

/// The folder of npm packages that `.ci/run` fills.
fn folder() -> PathBuf {
    let cache = std::env::var_os("GRAPHLOOM_CI_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/graphloom-ci"),
        PathBuf::from,
    );
    cache.join("tools/mcp-servers/node_modules/@modelcontextprotocol")
}

/// The script of a published server, for `node`: `everything`, `filesystem`, `memory` or `sequential-thinking`.
pub fn published(name: &str) -> Option<PathBuf> {
    let script = folder().join(format!("server-{name}/dist/index.js"));
    let there = script.is_file() && runs("node");
    told(there, &format!("the MCP server {name} is not installed; `.ci/run` installs it")).then_some(script)
}

/// For each message that it hears, the lines of the next answer, with the id of the message where they have `@ID@`.
const SAYING: &str = r#"exec 3<"$1"
while IFS= read -r heard; do
    id=${heard#*'"id":'}
    id=${id%%[,\}]*}
    while IFS= read -r line <&3; do
        case $line in
            .) break ;;
            *@ID@*) printf '%s%s%s\n' "${line%%@ID@*}" "$id" "${line#*@ID@}" ;;
            *) printf '%s\n' "$line" ;;
        esac
    done
done"#;

/// The program and the arguments of a server over standard input and output that says what a test has written down, whatever it
/// hears: for each message (notifications are messages, too) the lines of the next answer as they are, with the id of the
/// message in the place of `@ID@`. After the last answer it says nothing. What it says is kept in `file`.
///
/// # Panics
///
/// Where the file, or the one beside it, cannot be written.
pub fn saying<'a>(file: &Path, answers: impl IntoIterator<Item = &'a str>) -> (&'static str, Vec<String>) {
    let mut said = String::new();
    for answer in answers {
        for line in answer.lines() {
            said.push_str(line);
            said.push('\n');
        }
        said.push_str(".\n");
    }
    let script = file.with_extension("sh");
    std::fs::write(file, said).expect("the answers of the server are written");
    std::fs::write(&script, SAYING).expect("the server is written");
    ("sh", vec![script.display().to_string(), file.display().to_string()])
}

/// Whether Python is there, in which the servers that behave badly are written.
pub fn python() -> bool {
    told(runs("python3"), "there is no python3")
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn told(there: bool, reason: &str) -> bool {
    assert!(there || std::env::var_os("GRAPHLOOM_REQUIRE_MCP").is_none(), "{reason}");
    if !there {
        eprintln!("skipped: {reason}");
    }
    there
}

fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Where a program is, for a test whose process has no `PATH`.
pub fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    found.unwrap_or_else(|| PathBuf::from(name))
}
