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
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use settings::Ports;
use socket2::{Domain, Protocol, Socket, Type};

/// Runs the engine beside itself until nobody holds the other end of its input any more, and cleans up unless it is told to keep
/// the directory. SIGKILL ends it as a crash would, and is soon over.
const WATCH: &str = r#"directory=$1; shift
(sh -c 'echo $$ > "$0/process"; exec "$@"' "$directory" "$@"; touch "$directory/ended") & engine=$!
exec 2>/dev/null
read -r keep
while [ ! -s "$directory/process" ]; do sleep 0.02; done
kill -KILL "$(cat "$directory/process")"
wait "$engine"
[ -n "$keep" ] || rm -rf "$directory""#;

/// How long a connection to a worker may say nothing before the engine gives it up: so long that a busy machine makes no worker look
/// dead, and so short that a test in which a worker stands still need not wait.
const PATIENT: Duration = Duration::from_secs(60);
const IMPATIENT: Duration = Duration::from_secs(1);

/// An engine that ends with the test.
#[derive(Debug)]
pub struct Engine {
    directory: PathBuf,
    ports: Ports,
    /// They keep the ports, also while the engine is down: nobody else is given one.
    _kept: [Socket; 3],
    silence: Duration,
    watch: Option<Child>,
}

impl Engine {
    /// Starts an engine without any services, and waits until it can be used.
    ///
    /// # Panics
    /// When there is no engine or it does not start: a test without it must not pass.
    pub fn start() -> Self {
        Self::launch(Ipv4Addr::LOCALHOST.into(), PATIENT)
    }

    /// As [`Engine::start`], with an engine that gives up a worker which says nothing for two seconds. A test that starts it must hold
    /// for workers that are given up because the machine is busy.
    ///
    /// # Panics
    /// As [`Engine::start`].
    pub fn start_impatient() -> Self {
        Self::launch(Ipv4Addr::LOCALHOST.into(), IMPATIENT)
    }

    /// As [`Engine::start_impatient`], on free ports of this address.
    ///
    /// # Panics
    /// As [`Engine::start`].
    pub fn start_at(address: IpAddr) -> Self {
        Self::launch(address, IMPATIENT)
    }

    fn launch(address: IpAddr, silence: Duration) -> Self {
        let directory = tempfile::tempdir().expect("a directory").keep();
        let kept = [(); 3].map(|()| kept_port(address).expect("a free port"));
        let port = |kept: &Socket| kept.local_addr().ok()?.as_socket().map(|address| address.port());
        let [ingress, admin, node] = kept.each_ref().map(|kept| port(kept).expect("an address"));
        let ports = Ports { ip: address, ingress, admin, node };
        let mut engine = Self { directory, ports, _kept: kept, silence, watch: None };
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
        while !(is_healthy(self.admin_address(), "/health") && is_healthy(self.ingress_address(), "/restate/health")) {
            // The shell leaves this when the engine ends by itself.
            assert!(!self.directory.join("ended").exists(), "the engine does not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// As [`Engine::restart`], but waits for nothing: the engine can be used some time later.
    ///
    /// # Panics
    /// Where the engine is running, or no shell can be.
    pub fn begin(&mut self) {
        assert!(self.watch.is_none(), "the engine is running");
        // Those of an engine before this one.
        for left in ["ended", "process"] {
            let _ = std::fs::remove_file(self.directory.join(left));
        }
        let file = self.directory.join("restate.toml");
        std::fs::write(&file, settings::settings(&self.ports, self.silence)).expect("the settings are written");
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

/// A port of this address that nobody listens on, and that nobody else is given as long as this is kept. The engine can listen on it: it
/// allows, as this does, that its address is used again.
fn kept_port(ip: IpAddr) -> std::io::Result<Socket> {
    let address = SocketAddr::new(ip, 0);
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    Ok(socket)
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
