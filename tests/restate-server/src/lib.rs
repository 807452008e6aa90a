//! An engine of Restate of a test's own, on free ports of the loopback, in a temporary directory.
//!
//! - **Private.** It listens on the loopback only, unless it is given another address, and tells nobody that it is there; every
//!   engine has its own directory.
//! - **Gone with its test.** A watching shell ends the engine when [`Engine`] is dropped, and as well when the test's process
//!   ends without dropping it: one engine may serve a whole test program from a `static`.
//! - **Mortal.** [`Engine::kill`] ends it as a crash would, [`Engine::restart`] begins it on what it had stored.
//! - **Never absent.** A machine without the engine gets its program through npm, once; where that cannot be, the test fails
//!   and says what to install.
//!
//! ```
//! use graphloom_restate_server::Engine;
//!
//! let engine = Engine::start();
//! assert!(engine.url().starts_with("restate://127.0.0.1:"));
//! ```

#![forbid(unsafe_code)]

mod program;
mod settings;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use settings::Ports;

/// Runs the engine beside itself until nobody holds the other end of its input any more, and cleans up unless it is told to keep
/// the directory. SIGKILL ends it as a crash would, and is soon over.
const WATCH: &str = r#"directory=$1; shift
"$@" & engine=$!
exec 2>/dev/null
read -r keep
kill -KILL "$engine"
wait "$engine"
[ -n "$keep" ] || rm -rf "$directory""#;

/// How long the engine may take to be there.
const PATIENCE: Duration = Duration::from_secs(60);

/// An engine that ends with the test.
#[derive(Debug)]
pub struct Engine {
    directory: PathBuf,
    ports: Ports,
    watch: Option<Child>,
}

impl Engine {
    /// Starts an engine without any services, and waits until it can be used.
    ///
    /// # Panics
    /// When there is no engine or it does not start: a test without it must not pass.
    pub fn start() -> Self {
        Self::start_at(Ipv4Addr::LOCALHOST.into())
    }

    /// As [`Engine::start`], on free ports of this address.
    ///
    /// # Panics
    /// As [`Engine::start`].
    pub fn start_at(address: IpAddr) -> Self {
        let directory = tempfile::tempdir().expect("a directory").keep();
        let mut engine = Self { directory, ports: free_ports(address), watch: None };
        engine.restart();
        engine
    }

    /// Ends the engine as a crash would: SIGKILL. What it has stored stays.
    pub fn kill(&mut self) {
        self.end("keep\n");
    }

    /// Starts the engine after [`Engine::kill`], at the same address with what it had stored, and waits until it can be used.
    ///
    /// # Panics
    /// As [`Engine::start`].
    pub fn restart(&mut self) {
        self.begin();
        let began = Instant::now();
        while !(is_healthy(self.admin_address(), "/health") && is_healthy(self.ingress_address(), "/restate/health")) {
            assert!(began.elapsed() < PATIENCE, "the engine does not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// As [`Engine::restart`], but waits for nothing: the engine can be used some time later.
    ///
    /// # Panics
    /// Where the engine is running, or no shell can be.
    pub fn begin(&mut self) {
        assert!(self.watch.is_none(), "the engine is running");
        let file = self.directory.join("restate.toml");
        std::fs::write(&file, settings::settings(&self.ports)).expect("the settings are written");
        let log = std::fs::File::options().create(true).append(true).open(self.directory.join("log"));
        let watch = Command::new("/bin/sh")
            .args(["-c", WATCH, "watch"])
            .arg(&self.directory)
            .arg(program::program())
            .arg("--config-file")
            .arg(&file)
            .args(["--no-logo", "--listen-mode", "tcp"])
            .env("RESTATE_BASE_DIR", self.directory.join("data"))
            .env("DO_NOT_TRACK", "1")
            // It would take one for each error that it tries again after, for which this build of it takes most of a second.
            .env("RUST_BACKTRACE", "0")
            .current_dir(&self.directory)
            .stdin(Stdio::piped())
            .stdout(log.expect("the log is written"))
            .stderr(Stdio::null())
            .spawn();
        self.watch = Some(watch.expect("a shell runs"));
    }

    /// The address of the engine, with the port of its administration.
    pub fn url(&self) -> String {
        url_at(self.ingress_address(), self.admin_address())
    }

    /// Where invocations are asked for.
    pub fn ingress(&self) -> String {
        format!("http://{}", self.ingress_address())
    }

    /// Where the engine is administered.
    pub fn admin(&self) -> String {
        format!("http://{}", self.admin_address())
    }

    /// Where the ingress listens.
    pub fn ingress_address(&self) -> SocketAddr {
        SocketAddr::new(self.ports.ip, self.ports.ingress)
    }

    /// Where the administration listens.
    pub fn admin_address(&self) -> SocketAddr {
        SocketAddr::new(self.ports.ip, self.ports.admin)
    }

    /// What the engine has said.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.directory.join("log")).unwrap_or_default()
    }

    fn end(&mut self, keep: &str) {
        let Some(mut watch) = self.watch.take() else { return };
        if let Some(mut input) = watch.stdin.take() {
            // A shell that is gone has nothing left to end.
            let _ = input.write_all(keep.as_bytes());
        }
        let _ = watch.wait();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.end("");
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// The address of an engine whose ingress and administration are reached here.
pub fn url_at(ingress: SocketAddr, admin: SocketAddr) -> String {
    format!("restate://{ingress}?admin={admin}")
}

/// Ports that nobody has at the moment. They are held together, so that they differ.
fn free_ports(ip: IpAddr) -> Ports {
    let held = [(); 3].map(|()| TcpListener::bind((ip, 0)).expect("a free port"));
    let [ingress, admin, node] = held.each_ref().map(|port| port.local_addr().expect("an address").port());
    Ports { ip, ingress, admin, node }
}

/// Whether what listens on a port says that it is well.
fn is_healthy(address: SocketAddr, path: &str) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").as_bytes())?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok::<_, std::io::Error>(&status[9..] == b"200")
    };
    ask().unwrap_or(false)
}
