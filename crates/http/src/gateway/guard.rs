//! Which addresses a host of the open web may be at.
//!
//! A request that a text of others caused must not reach what only this machine or its network can reach. The address
//! that is checked is the address that is connected to: the guard sits in the client's resolver, so there is no second
//! answer of the name server between check and connection.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{ClientBuilder, Url, redirect};

use super::HostFault;
use crate::{innermost, unproxied};

/// Something that knows the addresses of hosts.
#[async_trait]
pub trait ResolveHost: Send + Sync + 'static {
    /// All addresses of `host`.
    ///
    /// # Errors
    /// The system's reason why there is none.
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The name service of this system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNames;

#[async_trait]
impl ResolveHost for SystemNames {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The resolver of the client: it gives addresses only when none of them is forbidden.
#[derive(Clone)]
pub(super) struct Guard {
    pub(super) names: Arc<dyn ResolveHost>,
}

impl Guard {
    pub(super) async fn resolve(&self, host: &str) -> Result<Vec<SocketAddr>, HostFault> {
        let unresolved = || HostFault::Unresolved { host: host.to_owned() };
        let addresses = self.names.addresses(host).await.map_err(|_| unresolved())?;
        if addresses.is_empty() {
            return Err(unresolved());
        }
        // One forbidden address among several is enough: which of them is taken is not ours to choose.
        for address in &addresses {
            check(host, *address)?;
        }
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, 0)).collect())
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let addresses = Self::resolve(&guard, name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").finish_non_exhaustive()
    }
}

/// A client, as `agent`, for hosts that nobody here chose: it connects to no [forbidden](forbidden_address) address, follows
/// no redirect and uses no proxy. A host that is written as an address is never looked up, so the caller
/// [checks](check_url) each address before it is asked.
pub fn guarded(agent: &str, names: Arc<dyn ResolveHost>) -> ClientBuilder {
    unproxied(agent).redirect(redirect::Policy::none()).dns_resolver(Arc::new(Guard { names }))
}

/// Checks the host of an address that is written as an IP address; names pass, and are checked when they are looked up.
///
/// # Errors
/// [`HostFault::Private`].
pub fn check_url(url: &Url) -> Result<(), HostFault> {
    let host = url.host_str().unwrap_or_default();
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) => check(host, address),
        Err(_) => Ok(()),
    }
}

/// What a client says of a request that failed: the guard's own reason when it is the cause, else what the system says.
pub fn cause(error: &reqwest::Error) -> HostFault {
    let mut source: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = source {
        if let Some(own) = inner.downcast_ref::<HostFault>() {
            return own.clone();
        }
        source = inner.source();
    }
    HostFault::Down { reason: innermost(error) }
}

/// # Errors
/// [`HostFault::Private`] for an address where no page of the web can be.
pub(super) fn check(host: &str, address: IpAddr) -> Result<(), HostFault> {
    match forbidden_address(address) {
        None => Ok(()),
        Some(network) => Err(HostFault::Private { host: host.to_owned(), address, network: network.to_owned() }),
    }
}

/// What lies at an address at which no page of the web can be: private, local, shared and reserved networks (the IANA
/// registries of special-purpose addresses, RFC 6890 and its successors), and addresses of version 6 that lead to such
/// ones of version 4. `None` for an address of the web.
#[must_use]
pub fn forbidden_address(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => forbidden_v4(address),
        IpAddr::V6(address) => forbidden_v6(address),
    }
}

fn forbidden_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    Some(match (a, b, c) {
        (0, ..) => "this network itself",
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => "a private network",
        (127, ..) => "this machine",
        (100, 64..=127, _) => "a network of a provider",
        (169, 254, _) => "a link-local network, where clouds keep credentials",
        // The address at which a cloud serves its virtual machines.
        (168, 63, 129) if address == Ipv4Addr::new(168, 63, 129, 16) => "a service of the cloud",
        (192, 0, 0) | (192, 88, 99) | (198, 18..=19, _) => "a network for tests and protocols",
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => "a network for examples",
        (224..=239, ..) => "a group of machines",
        (240.., ..) => "a reserved network",
        _ => return None,
    })
}

fn forbidden_v6(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    let last_v4 = || {
        let [.., a, b, c, d] = address.octets();
        Ipv4Addr::new(a, b, c, d)
    };
    match segments {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("this network itself"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("this machine"),
        // Written as version 6, connected to as version 4.
        [0, 0, 0, 0, 0, 0xffff, ..] => forbidden_v4(last_v4()),
        // Translated to version 4 by the network.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => forbidden_v4(last_v4()),
        // Carries an address of version 4 through the network.
        [0x2002, high, low, ..] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            forbidden_v4(Ipv4Addr::new(a, b, c, d))
        }
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => Some("a network for examples"),
        [0x2001, 0..=0x01ff, ..] => Some("a network for tests and protocols"),
        [first, ..] if first & 0xfe00 == 0xfc00 => Some("a private network"),
        [first, ..] if first & 0xff80 == 0xfe80 => Some("a link-local network"),
        [first, ..] if first & 0xff00 == 0xff00 => Some("a group of machines"),
        // Only these addresses are given to hosts of the web.
        [first, ..] if first & 0xe000 == 0x2000 => None,
        _ => Some("a reserved network"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_outside_the_web_are_forbidden() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "169.254.170.2",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:7f00:1",
            "::127.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "100::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(forbidden_address(address.parse().unwrap()).is_some(), "{address}");
        }
    }

    #[test]
    fn addresses_of_the_web_are_not() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "168.63.129.17",
            "192.1.2.3",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert_eq!(forbidden_address(address.parse().unwrap()), None, "{address}");
        }
    }

    struct Fixed(Vec<IpAddr>);

    #[async_trait]
    impl ResolveHost for Fixed {
        async fn addresses(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
            Ok(self.0.clone())
        }
    }

    #[tokio::test]
    async fn one_forbidden_address_among_several_is_enough() {
        let resolve = |addresses: &[&str]| {
            let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
            let guard = Guard { names: Arc::new(Fixed(addresses)) };
            async move { guard.resolve("a.example").await }
        };
        assert_eq!(resolve(&["8.8.8.8", "1.1.1.1"]).await.unwrap().len(), 2);
        assert!(matches!(resolve(&["8.8.8.8", "::ffff:10.0.0.1"]).await, Err(HostFault::Private { .. })));
        assert_eq!(resolve(&[]).await, Err(HostFault::Unresolved { host: "a.example".into() }));
    }
}
