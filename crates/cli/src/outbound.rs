//! How a program reaches the network.

use std::path::PathBuf;

use clap::Args;
use graphloom_http::Outbound;

use crate::CliError;

/// Options about the network.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Network")]
#[non_exhaustive]
pub struct OutboundArgs {
    /// Ask nothing but what is on this machine
    #[arg(long, global = true, env = "GRAPHLOOM_OFFLINE", value_parser = clap::builder::FalseyValueParser::new())]
    pub offline: bool,
    /// Ask everything but this machine through this proxy; without it `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say which
    #[arg(long, global = true, value_name = "URL", env = "GRAPHLOOM_PROXY", hide_env_values = true)]
    pub proxy: Option<String>,
    /// Also trust the certificates in this PEM file
    #[arg(long, global = true, value_name = "FILE", env = "GRAPHLOOM_CA_FILE")]
    pub ca_file: Option<PathBuf>,
}

impl OutboundArgs {
    /// Settles it for every client of this process.
    ///
    /// # Errors
    /// [`CliError::Usage`]: a proxy that is none, a file without certificates.
    pub(crate) fn install(&self) -> Result<(), CliError> {
        let usage = |error: graphloom_http::HttpError| CliError::usage(error.to_string());
        let mut outbound = Outbound::default().offline(self.offline);
        if let Some(proxy) = &self.proxy {
            outbound = outbound.proxy(proxy).map_err(usage)?;
        }
        if let Some(file) = &self.ca_file {
            outbound = outbound.certificates(file).map_err(usage)?;
        }
        outbound.install().map_err(usage)
    }
}
