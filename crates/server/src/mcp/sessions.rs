//! Sessions of clients outlive the process: a client of 2025-11-25 goes on with its session after the server was started anew.

use std::time::Duration;

use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};

use crate::records::ProtocolData;

/// How long a session can be taken up again after it began.
const LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);

const PLACE: [&str; 2] = ["mcp", "sessions"];

/// The sessions among the server's records.
pub(super) struct Sessions(pub(super) ProtocolData);

#[async_trait::async_trait]
impl SessionStore for Sessions {
    async fn load(&self, session: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let state = self.0.get(PLACE, session).await?;
        Ok(state.map(serde_json::from_value).transpose()?)
    }

    async fn store(&self, session: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        Ok(self.0.put_for(PLACE, session, serde_json::to_value(state)?, LIFETIME).await?)
    }

    async fn delete(&self, session: &str) -> Result<(), SessionStoreError> {
        Ok(self.0.delete(PLACE, session).await?)
    }
}
