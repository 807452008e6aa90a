//! What a run leaves can be read by its user only, with an `umask` that forbids nothing.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Parser;
use graphloom_cli::{BaseArgs, DataDir, ModelArgs, RunStore, SourceArgs, build_models, open_corpus};
use graphloom_llm::ChatRequest;
use graphloom_llm::layers::Spent;

#[derive(Parser, Debug)]
struct Args {
    #[command(flatten)]
    models: ModelArgs,
    #[command(flatten)]
    sources: SourceArgs,
    #[command(flatten)]
    base: BaseArgs,
}

/// The other half: does what programs do with their files, in a process of its own. It does nothing as a test.
#[tokio::test]
async fn child() {
    let Some(place) = std::env::var_os("PRIVATE_CHILD").map(PathBuf::from) else { return };
    let path = |name: &str| place.join(name).display().to_string();
    let model = format!("scripted:{}", path("script.jsonl"));
    let args = ["x", "--model", &model, "--record", &path("tape.jsonl"), "--corpus", &path("corpus")];
    let args = Args::try_parse_from(args).unwrap();
    let dirs = DataDir::new(std::env::var_os("PRIVATE_CHILD_HOME").map(PathBuf::from).as_deref()).unwrap();
    let store = RunStore::in_file(&dirs).unwrap().checkpointer();
    let lease = store.acquire("a").await.unwrap();
    let progress = graphloom_cli::Progress::new(&args.base);
    let engines = args.sources.engines().unwrap();
    open_corpus(&args.sources, &engines, &dirs, &progress).await.unwrap();
    let set = build_models(&args.models, &dirs, &progress, Spent::default()).await.unwrap();
    set.models.role("default").chat(ChatRequest::user("hello")).await.unwrap();
    let out = place.join("out");
    graphloom_cli::private::create_dir(&out).unwrap();
    graphloom_cli::private::write(&out.join("report.md"), "text").unwrap();
    drop(graphloom_cli::private::append(&place.join("run.log")).unwrap());
    // The database's other files are there as long as it is open.
    let modes = look(&place);
    drop((lease, store));
    println!("{}", serde_json::to_string(&modes).unwrap());
}

/// All files and directories below `place`, with their modes.
fn look(place: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(place).unwrap() {
        let path = entry.unwrap().path();
        let metadata = std::fs::metadata(&path).unwrap();
        found.push((path.clone(), metadata.permissions().mode() & 0o777));
        if metadata.is_dir() {
            found.extend(look(&path));
        }
    }
    found
}

fn run(place: &Path, umask: &str, more: &[(&str, &Path)]) -> Vec<(PathBuf, u32)> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("umask {umask}; exec \"$0\" --exact private::child --nocapture")]);
    command.arg(std::env::current_exe().unwrap()).env("PRIVATE_CHILD", place).stdin(Stdio::null());
    for name in ["GRAPHLOOM_HOME", "GRAPHLOOM_MODEL", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    let output = command.envs(more.iter().copied()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let line = said.lines().find(|line| line.starts_with('[')).unwrap_or_else(|| panic!("{said}"));
    serde_json::from_str(line).unwrap()
}

fn prepared() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("script.jsonl"), "{\"reply\": \"yes\", \"times\": 9}\n").unwrap();
    std::fs::create_dir(place.path().join("corpus")).unwrap();
    std::fs::write(place.path().join("corpus/a.md"), "# A\n\nSome words of a document.\n").unwrap();
    place
}

#[test]
fn files_are_for_their_user_only() {
    for umask in ["000", "022", "077"] {
        let place = prepared();
        let home = place.path().join("home");
        let modes = run(place.path(), umask, &[("PRIVATE_CHILD_HOME", &home)]);
        let of = |name: &str| modes.iter().find(|(path, _)| path.ends_with(name)).map(|(_, mode)| *mode);
        for dir in ["home", "home/indexes", "out"] {
            assert_eq!(of(dir), Some(0o700), "{umask} {dir}: {modes:?}");
        }
        for file in
            ["home/threads.db", "home/threads.db-wal", "home/threads.db-shm", "tape.jsonl", "run.log", "out/report.md"]
        {
            assert_eq!(of(file), Some(0o600), "{umask} {file}: {modes:?}");
        }
        let given = ["script.jsonl", "corpus", "corpus/a.md"].map(|name| place.path().join(name));
        let open =
            modes.iter().filter(|(path, mode)| mode & 0o077 != 0 && !given.contains(path) && !path.starts_with(&home));
        assert_eq!(open.count(), 0, "{modes:?}");
    }
}

#[test]
fn what_an_older_version_left_open_is_closed() {
    let place = prepared();
    let data = place.path().join("share/graphloom");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("threads.db"), "").unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::set_permissions(data.join("threads.db"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let cache = place.path().join("cache");
    let modes = run(place.path(), "022", &[("XDG_DATA_HOME", &place.path().join("share")), ("XDG_CACHE_HOME", &cache)]);
    let of = |name: &str| modes.iter().find(|(path, _)| path.ends_with(name)).map(|(_, mode)| *mode);
    assert_eq!((of("share/graphloom"), of("share/graphloom/threads.db")), (Some(0o700), Some(0o600)), "{modes:?}");
    assert_eq!(of("cache/graphloom/indexes"), Some(0o700), "{modes:?}");

    // A directory that was named keeps what its owner chose.
    let named = place.path().join("named");
    std::fs::create_dir(&named).unwrap();
    std::fs::set_permissions(&named, std::fs::Permissions::from_mode(0o750)).unwrap();
    let modes = run(place.path(), "022", &[("PRIVATE_CHILD_HOME", &named)]);
    let of = |name: &str| modes.iter().find(|(path, _)| path.ends_with(name)).map(|(_, mode)| *mode);
    assert_eq!((of("named"), of("named/threads.db")), (Some(0o750), Some(0o600)), "{modes:?}");
}
