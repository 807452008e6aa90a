//! A network namespace for each process, with a link to a bridge that is taken down to cut it.
//!
//! A link is taken down at the end of the bridge: inside the namespace the address and its routes stay, so that what is sent
//! vanishes and no call fails. Servers, and the test, are in the namespace of the machine, at the address of the bridge.
//!
//! Namespaces and bridges are called by the process that made them. What a test left that was killed is removed by the next one.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Networks of 254 addresses each in 198.18.0.0/15, which is for tests of networks (RFC 2544).
const NETWORKS: u32 = 512;
/// What names of namespaces and of bridges begin with. Names of links have fifteen characters at most.
const PREFIX: &str = "chaos";
/// The first port of a namespace on which something listens.
const FIRST_PORT: u16 = 7000;

/// A bridge that joins namespaces.
#[derive(Debug)]
pub(super) struct Bridge {
    name: String,
    address: Ipv4Addr,
    /// Last parts of the addresses that are taken.
    taken: Mutex<BTreeSet<u8>>,
}

impl Bridge {
    /// A bridge of this process.
    ///
    /// # Errors
    /// Why this process can make no namespaces.
    pub(super) fn open() -> Result<Self, String> {
        remove_stale();
        let own = std::process::id();
        let addresses = ip("-oneline -4 address show")?;
        let address = (0..NETWORKS)
            .map(|more| own.wrapping_add(more) % NETWORKS)
            .map(|number| Ipv4Addr::from_bits(Ipv4Addr::new(198, 18, 0, 1).to_bits() + (number << 8)))
            .find(|address| !addresses.contains(&format!(" {address}/")))
            .ok_or("all its networks are taken")?;
        let name = format!("{PREFIX}{own}");
        ip(&format!("link add {name} type bridge"))?;
        let bridge = Self { name, address, taken: Mutex::default() };
        let name = &bridge.name;
        ip(&format!("address add {address}/24 dev {name}"))?;
        ip(&format!("link set {name} up"))?;
        // Whether a program can be run in one is found out here.
        let trial = format!("{PREFIX}-{own}-trial");
        ip(&format!("netns add {trial}"))?;
        let ran = ip(&format!("netns exec {trial} true"));
        ip(&format!("netns delete {trial}"))?;
        ran.map(|_| bridge)
    }

    pub(super) fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// A free number from 2 to 254.
    fn take(&self) -> u8 {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let free = (2..255).find(|number| !taken.contains(number)).expect("fewer than 254 processes at a time");
        taken.insert(free);
        free
    }
}

impl fmt::Display for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}/24", self.name, self.address)
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next test.
        let _ = ip(&format!("link delete {}", self.name));
    }
}

/// A namespace with one link to a bridge.
#[derive(Debug)]
pub(super) struct Namespace {
    bridge: Arc<Bridge>,
    number: u8,
    name: String,
    /// The end of the link at the bridge.
    link: String,
    next_port: AtomicU16,
}

impl Namespace {
    pub(super) fn on(bridge: &Arc<Bridge>) -> Self {
        let (own, number) = (std::process::id(), bridge.take());
        let (name, link) = (format!("{PREFIX}-{own}-{number}"), format!("ch{own}n{number}"));
        let namespace = Self { bridge: Arc::clone(bridge), number, name, link, next_port: AtomicU16::new(FIRST_PORT) };
        namespace.make().unwrap_or_else(|error| panic!("no network namespace: {error}"));
        namespace
    }

    fn make(&self) -> Result<(), String> {
        let Self { bridge, number, name, link, .. } = self;
        ip(&format!("netns add {name}"))?;
        // An address that is used again has the same hardware address, so that nobody has learned a wrong one.
        ip(&format!("link add {link} type veth peer name eth0 address 02:00:00:00:00:{number:02x} netns {name}"))?;
        ip(&format!("link set {link} master {} up", bridge.name))?;
        ip(&format!("-netns {name} link set lo up"))?;
        ip(&format!("-netns {name} address add {}/24 dev eth0", self.address()))?;
        ip(&format!("-netns {name} link set eth0 up")).map(drop)
    }

    fn address(&self) -> Ipv4Addr {
        let [a, b, c, _] = self.bridge.address.octets();
        Ipv4Addr::new(a, b, c, self.number)
    }

    /// An address of this namespace that nobody has.
    pub(super) fn free_address(&self) -> SocketAddr {
        SocketAddr::from((self.address(), self.next_port.fetch_add(1, Ordering::Relaxed)))
    }

    /// A program in this namespace. It takes the place of `ip`, so that its process is the one that is begun.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).arg(program);
        command
    }

    pub(super) fn cut(&self) {
        self.set_link("down");
    }

    pub(super) fn mend(&self) {
        self.set_link("up");
    }

    fn set_link(&self, state: &str) {
        ip(&format!("link set {} {state}", self.link)).unwrap_or_else(|error| panic!("a link is not set: {error}"));
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // The link goes with it. What cannot be removed now is removed by the next test.
        let _ = ip(&format!("link delete {}", self.link));
        let _ = ip(&format!("netns delete {}", self.name));
        self.bridge.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

/// Removes what tests made whose processes are gone, with the processes inside.
fn remove_stale() {
    for line in ip("netns list").unwrap_or_default().lines() {
        let name = line.split_whitespace().next().unwrap_or_default();
        let owner = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('-')?.split('-').next());
        if owner.is_some_and(is_gone) {
            for process in ip(&format!("netns pids {name}")).unwrap_or_default().lines() {
                // It may have ended since.
                let _ = Command::new("kill").args(["-KILL", process]).output();
            }
            let _ = ip(&format!("netns delete {name}"));
        }
    }
    for line in ip("-brief link show type bridge").unwrap_or_default().lines() {
        let name = line.split_whitespace().next().unwrap_or_default();
        if name.strip_prefix(PREFIX).is_some_and(is_gone) {
            let _ = ip(&format!("link delete {name}"));
        }
    }
}

/// Whether a process is named that does not exist.
fn is_gone(process: &str) -> bool {
    process.parse::<u32>().is_ok_and(|id| !Path::new(&format!("/proc/{id}")).exists())
}

/// Runs `ip` with these words, and gives what it says.
fn ip(words: &str) -> Result<String, String> {
    let ran = Command::new("ip").args(words.split(' ')).output();
    let ran = ran.map_err(|error| format!("`ip` does not run: {error}"))?;
    if ran.status.success() {
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    Err(format!("`ip {words}`: {}", String::from_utf8_lossy(&ran.stderr).trim()))
}
