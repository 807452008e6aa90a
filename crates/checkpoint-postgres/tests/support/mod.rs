//! A PostgreSQL server of a test's own.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const INSTALL: &str = "install it with `apt-get install postgresql`, or name the folder of `initdb` and `postgres` in GRAPHLOOM_POSTGRES_BIN";

/// A server on a socket in a directory of its own, which ends with the test.
pub(crate) struct Server {
    child: Child,
    socket: PathBuf,
    _directory: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        let programs = programs();
        let directory = tempfile::tempdir().expect("a directory");
        let user = user_for_server();
        let (data, socket) = (directory.path().join("data"), directory.path().join("socket"));
        fs::create_dir(&socket).expect("a directory for the socket");
        if let Some((uid, gid)) = user {
            for place in [directory.path(), &socket] {
                chown(place, Some(uid), Some(gid)).expect("the directory is given to the server's user");
            }
        }
        let run = |program: &str| {
            let mut command = Command::new(programs.join(program));
            command.current_dir(directory.path()).env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
            if let Some((uid, gid)) = user {
                command.uid(uid).gid(gid);
            }
            command
        };
        let made = run("initdb")
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(&data)
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let mut child = run("postgres")
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&socket)
            .args([
                "-c",
                "listen_addresses=",
                "-c",
                "max_connections=100",
                "-c",
                "shared_buffers=32MB",
                "-c",
                "fsync=off",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("postgres runs");
        // It says when it is ready; what it says later is read, too, so that it never waits for a reader.
        let mut said = child.stderr.take().expect("stderr is a pipe");
        let mut log = String::new();
        let mut buffer = [0; 4096];
        while !log.contains("ready to accept connections") {
            let read = said.read(&mut buffer).expect("the server's log reads");
            assert!(read > 0, "the server ended: {log}");
            log.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self { child, socket, _directory: directory }
    }

    /// The address of the server's one database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@localhost/postgres?host={}", self.socket.display())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGINT ends it and its helpers at once, without waiting for clients.
        let interrupted = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        if !interrupted.is_ok_and(|status| status.success()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// The folder of the newest server that is installed.
fn programs() -> PathBuf {
    if let Some(folder) = std::env::var_os("GRAPHLOOM_POSTGRES_BIN") {
        let folder = PathBuf::from(folder);
        assert!(folder.join("initdb").exists(), "GRAPHLOOM_POSTGRES_BIN has no `initdb`");
        return folder;
    }
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_string_lossy().parse().ok()?;
            let folder = entry.path().join("bin");
            folder.join("initdb").exists().then_some((version, folder))
        })
        .collect();
    found.sort();
    let Some((_, folder)) = found.pop() else { panic!("these tests need a PostgreSQL server: {INSTALL}") };
    folder
}

/// PostgreSQL refuses to run as root: then it runs as the user that its package makes, or as nobody.
fn user_for_server() -> Option<(u32, u32)> {
    let own = fs::metadata(Path::new("/proc/self")).expect("/proc is there").uid();
    if own != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").expect("the list of users reads");
    let of = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut parts = line.split(':').skip(2);
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    Some(of("postgres").or_else(|| of("nobody")).expect("there is a user for the server"))
}
