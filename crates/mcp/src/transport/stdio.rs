//! A conversation over the standard input and output of a program.

use std::collections::VecDeque;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::Empty;
use tokio::process::ChildStdin;
use tokio::sync::mpsc;

use super::hearing::Hearing;
use super::pretty::Pretty;

/// What is written goes to the program as the library writes it; the lines that the program writes are read here.
pub(crate) struct Standard {
    write: AsyncRwTransport<RoleClient, Empty, ChildStdin>,
    lines: mpsc::Receiver<Vec<u8>>,
    pretty: Pretty,
    ready: VecDeque<ServerJsonRpcMessage>,
    hearing: Arc<Hearing>,
}

impl Standard {
    /// Speaks to a program through its input, and reads its lines, each of at most `limit` bytes.
    pub(crate) fn new(input: ChildStdin, lines: mpsc::Receiver<Vec<u8>>, limit: usize, hearing: Arc<Hearing>) -> Self {
        Self {
            write: AsyncRwTransport::new_client(tokio::io::empty(), input),
            lines,
            pretty: Pretty::new(limit),
            ready: VecDeque::new(),
            hearing,
        }
    }
}

impl Transport<RoleClient> for Standard {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.hearing.sent(&message);
        self.write.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            let line = self.lines.recv().await?;
            if let Some(text) = self.pretty.whole(line) {
                self.ready.extend(self.hearing.heard(&text, None));
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.write.close().await
    }
}
