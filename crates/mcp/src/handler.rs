//! What a server says unasked.

use std::sync::{Arc, Weak};

use rmcp::ClientHandler;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{NotificationContext, RoleClient};
use tokio::sync::Notify;

use crate::McpEventKind;
use crate::event::EventSender;
use crate::server::Server;

/// How many lines of a server's log are told.
const LOG_TOLD: usize = 1_000;

/// The least time between two listings, so that a server that changes always takes little of the machine.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(250);

/// Hears a server: notes that its lists changed, and tells its log. What a server asks in return is declined: neither
/// a model nor the user is at its service, and no folder is shown to it.
#[derive(Debug)]
pub(crate) struct Handler {
    pub(crate) events: EventSender,
    pub(crate) changed: Arc<Notify>,
    pub(crate) logged: std::sync::atomic::AtomicUsize,
}

impl ClientHandler for Handler {
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    #[expect(deprecated, reason = "servers of the earlier protocols log this way")]
    async fn on_logging_message(
        &self,
        params: rmcp::model::LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        if self.logged.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < LOG_TOLD {
            let text = params.data.as_str().map_or_else(|| params.data.to_string(), str::to_owned);
            self.events.tell(McpEventKind::Log, text.chars().take(2_000).collect::<String>());
        }
    }

    fn get_info(&self) -> ClientConfig {
        let this = Implementation::new("graphloom", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), this)
    }
}

/// Lists a server anew whenever it says that something changed, until the server is dropped. What it says many times
/// at once is heard once.
pub(crate) async fn follow(server: Weak<Server>, changed: Arc<Notify>) {
    loop {
        changed.notified().await;
        let Some(server) = server.upgrade() else { return };
        server.list_again().await;
        drop(server);
        tokio::time::sleep(PAUSE).await;
    }
}
