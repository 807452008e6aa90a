//! What connections to others have in common.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;

use crate::error::EngineError;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);
/// How often a connection is asked whether it is alive, and how long that may take.
const ALIVE: Duration = Duration::from_secs(5);
/// Bytes of one answer, and of all on a connection, that may come before they are taken up.
const STREAM_WINDOW: u32 = 2 << 20;
const CONNECTION_WINDOW: u32 = 16 << 20;

/// A client with one connection to each process that it asks, over which requests go beside each other.
///
/// # Errors
/// A key that no header can carry.
pub(crate) fn client(bearer: Option<&str>) -> Result<reqwest::Client, EngineError> {
    // Somebody else may have chosen one before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut headers = HeaderMap::new();
    if let Some(key) = bearer {
        let value = HeaderValue::try_from(format!("Bearer {key}"));
        let mut value =
            value.map_err(|_| EngineError::Setting("the key has characters that no header carries".into()))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .default_headers(headers)
        .http2_prior_knowledge()
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(ALIVE)
        .http2_keep_alive_timeout(ALIVE)
        .tcp_nodelay(true)
        .connect_timeout(CONNECT)
        .build();
    client.map_err(|error| EngineError::Setting(format!("connections cannot be made: {error}")))
}
