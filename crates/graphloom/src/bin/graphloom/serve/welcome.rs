//! What is told when the server answers requests.

use std::fmt;
use std::net::SocketAddr;

use graphloom_cli::JSON_VERSION;
use serde_json::{Value, json};

/// What is told when the server answers requests.
pub(super) struct Welcome {
    pub(super) address: SocketAddr,
    pub(super) graphs: Vec<String>,
    /// Where everything is kept, for people.
    pub(super) place: String,
    pub(super) with_keys: bool,
    pub(super) with_studio: bool,
    /// Whether tasks are executed by workers.
    pub(super) with_workers: bool,
    /// The engine that brings tasks to workers.
    pub(super) engine: Option<String>,
}

impl Welcome {
    /// The address that a program of this machine calls.
    fn base_url(&self) -> String {
        if self.address.ip().is_unspecified() {
            format!("http://localhost:{}", self.address.port())
        } else {
            format!("http://{}", self.address)
        }
    }

    /// The address of the studio, where there is one.
    fn studio(&self) -> Option<String> {
        self.with_studio.then(|| format!("{}{}/", self.base_url(), graphloom_studio::PATH))
    }

    /// The same for programs, a line of `--json`.
    pub(super) fn event(&self) -> Value {
        json!({
            "v": JSON_VERSION,
            "event": "serving",
            "url": self.base_url(),
            "graphs": self.graphs,
            "store": self.place,
            "studio": self.studio(),
            "workers": self.with_workers,
            "engine": self.engine,
        })
    }
}

impl fmt::Display for Welcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.base_url();
        writeln!(f, "listening on {url}{}", if self.with_keys { ", with keys" } else { "" })?;
        writeln!(f, "  graphs: {}", self.graphs.join(", "))?;
        writeln!(f, "  kept in {}", self.place)?;
        if self.with_workers {
            writeln!(f, "  tasks are executed by `graphloom worker`; `graphloom cluster status` shows who does what")?;
        }
        if let Some(engine) = &self.engine {
            writeln!(
                f,
                "  tasks are executed by `graphloom worker --engine '{engine}'`; the engine brings runs to this server, too"
            )?;
        }
        if let Some(studio) = self.studio() {
            writeln!(f, "  studio: {studio}")?;
        }
        writeln!(f, "  LangGraph Studio: https://smith.langchain.com/studio/?baseUrl={url}")?;
        writeln!(f, "    (needs `--cors https://smith.langchain.com --private-network`)")?;
        write!(f, "Ctrl-C stops it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_all_networks_is_called_by_the_name_of_this_machine() {
        for (address, url) in [
            ("0.0.0.0:80", "http://localhost:80"),
            ("[::]:80", "http://localhost:80"),
            ("[::1]:2024", "http://[::1]:2024"),
            ("127.0.0.1:2024", "http://127.0.0.1:2024"),
        ] {
            let welcome = Welcome {
                address: address.parse().unwrap(),
                graphs: Vec::new(),
                place: String::new(),
                with_keys: false,
                with_studio: true,
                with_workers: false,
                engine: None,
            };
            assert_eq!(welcome.base_url(), url);
            assert_eq!(welcome.event()["studio"], format!("{url}/studio/"));
            assert!(welcome.to_string().contains(&format!("\n  studio: {url}/studio/\n")), "{welcome}");
            let without = Welcome { with_studio: false, ..welcome };
            assert!(without.event()["studio"].is_null() && !without.to_string().contains("  studio:"));
        }
    }
}
