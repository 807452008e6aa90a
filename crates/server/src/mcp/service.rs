//! The service at `/mcp`.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::host::Host;
use crate::http::Routes;
use crate::mcp::handler::Handler;
use crate::mcp::sessions::Sessions;

/// How long a session of which nothing is heard stays in memory: longer than a run that tells nothing.
const SILENT: Duration = Duration::from_secs(6 * 3600);

/// The routes of the protocol: `/mcp`, with `POST`, and `GET` and `DELETE` for clients with sessions.
pub(crate) fn routes(host: &Host) -> Routes<()> {
    let mut config = StreamableHttpServerConfig::default()
        // The guard has looked at them.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    config.max_request_body_bytes = usize::MAX;
    config.session_store = Some(Arc::new(Sessions(host.manager.records().protocols.clone())));
    let mut session = SessionConfig::default();
    session.keep_alive = Some(SILENT);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config = session;
    let (guard, stop) = (host.guard.clone(), config.cancellation_token.clone());
    tokio::spawn(async move {
        guard.draining().await;
        stop.cancel();
    });
    let handler = Handler::new(host.clone());
    let service = StreamableHttpService::new(move || Ok(handler.for_client()), Arc::new(sessions), config);
    Routes::new("MCP").services(Router::new().route_service("/mcp", service))
}
