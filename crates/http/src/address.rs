//! Where an address leads.

use std::net::IpAddr;

use reqwest::Url;

/// Whether an address is on this machine.
pub fn is_loopback(address: &Url) -> bool {
    let Some(host) = address.host_str() else { return false };
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(ip) => ip.is_loopback(),
        Err(_) => host == "localhost",
    }
}

/// The host of an address with its port where it has one, which is all of an address that may be told.
pub fn authority(address: &Url) -> String {
    let host = address.host_str().unwrap_or_default();
    match address.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_several_names() {
        for (address, here) in [
            ("http://127.0.0.1:8080/x", true),
            ("http://[::1]/x", true),
            ("http://localhost/x", true),
            ("https://127.8.9.1/x", true),
            ("https://localhost.example.org/x", false),
            ("http://192.168.0.1/x", false),
            ("https://example.org/x", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(address).unwrap()), here, "{address}");
        }
        let address = Url::parse("https://me:secret@example.org:81/path?key=secret").unwrap();
        assert_eq!(authority(&address), "example.org:81");
    }
}
