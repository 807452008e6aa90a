//! Places on a network that can be cut.
//!
//! | what | file |
//! | --- | --- |
//! | a network namespace for each process, joined by a bridge | `namespaces.rs` |
//! | ways of each process through proxies of the test | `proxies.rs` |

mod namespaces;
mod proxies;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use namespaces::{Bridge, Namespace};
use proxies::Ways;

/// The network between the processes of a run and its servers.
#[derive(Debug)]
pub struct Network(Kind);

#[derive(Debug)]
enum Kind {
    Namespaces(Arc<Bridge>),
    /// Why there are no namespaces.
    Proxies(String),
}

impl Network {
    /// A network of namespaces where this process may make them, and of proxies elsewhere.
    pub fn open() -> Self {
        if std::env::var("CHAOS_NETWORK").is_ok_and(|kind| kind == "proxies") {
            return Self(Kind::Proxies("CHAOS_NETWORK says so".to_owned()));
        }
        Self(Bridge::open().map_or_else(Kind::Proxies, |bridge| Kind::Namespaces(Arc::new(bridge))))
    }

    /// The address of the test on this network, on which servers listen.
    pub fn address(&self) -> IpAddr {
        match &self.0 {
            Kind::Namespaces(bridge) => bridge.address().into(),
            Kind::Proxies(_) => Ipv4Addr::LOCALHOST.into(),
        }
    }

    /// A place for one process.
    ///
    /// # Panics
    /// Where the system makes no namespace, though it has made one before.
    pub fn place(&self) -> Place {
        Place(match &self.0 {
            Kind::Namespaces(bridge) => Spot::Namespace(Namespace::on(bridge)),
            Kind::Proxies(_) => Spot::Proxies(Ways::default()),
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Namespaces(bridge) => write!(f, "each process has a network namespace on the bridge {bridge}"),
            Kind::Proxies(reason) => write!(f, "each process has proxies, and no network namespace: {reason}"),
        }
    }
}

/// The place of one process on a network.
#[derive(Debug)]
pub struct Place(Spot);

#[derive(Debug)]
enum Spot {
    Namespace(Namespace),
    Proxies(Ways),
}

/// Where a process listens.
#[derive(Clone, Copy, Debug)]
pub struct Listening {
    /// The address that it binds.
    pub at: SocketAddr,
    /// The address at which others reach it.
    pub reached_at: SocketAddr,
}

impl Place {
    /// The address at which the process reaches a server.
    pub fn way_to(&self, server: SocketAddr) -> SocketAddr {
        match &self.0 {
            Spot::Namespace(_) => server,
            Spot::Proxies(ways) => ways.way_to(server),
        }
    }

    /// An address on which the process listens.
    ///
    /// # Panics
    /// Where there is no free port.
    pub fn listening(&self) -> Listening {
        match &self.0 {
            Spot::Namespace(namespace) => {
                let at = namespace.free_address();
                Listening { at, reached_at: at }
            }
            Spot::Proxies(ways) => ways.listening(),
        }
    }

    /// A program that runs at this place.
    pub(crate) fn command(&self, program: &Path) -> Command {
        match &self.0 {
            Spot::Namespace(namespace) => namespace.command(program),
            Spot::Proxies(_) => Command::new(program),
        }
    }

    /// Lets nothing come to this place or leave it. Nobody is told.
    pub(crate) fn cut(&self) {
        match &self.0 {
            Spot::Namespace(namespace) => namespace.cut(),
            Spot::Proxies(ways) => ways.cut(),
        }
    }

    /// Ends a cut.
    pub(crate) fn mend(&self) {
        match &self.0 {
            Spot::Namespace(namespace) => namespace.mend(),
            Spot::Proxies(ways) => ways.mend(),
        }
    }
}
