//! One server: its connection, which is made anew when it ended, and its calls, each within its limits.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::{ClientInitializeError, Peer, RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::auth::AuthClient;
use tokio::sync::{Mutex, Notify, Semaphore, watch};

use crate::error::{chain, told};
use crate::event::EventSender;
use crate::failure::{Failure, failed, refusal};
use crate::handler::{Handler, follow};
use crate::listing::{Listing, list};
use crate::login::authorization;
use crate::transport::{Child, Hearing, Standard, client, has_authorization, start};
use crate::{McpError, McpEventKind, McpOptions, Place, ServerConfig};

/// How long is waited for the end of a program whose connection broke, to say how it ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// One server.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) config: ServerConfig,
    pub(crate) options: McpOptions,
    pub(crate) events: EventSender,
    connection: Mutex<Connection>,
    slots: Semaphore,
    all_slots: Arc<Semaphore>,
    listing: RwLock<Arc<Listing>>,
    /// Why it is not there, while it is not.
    trouble: RwLock<Option<McpError>>,
    /// Counts the changes of what any server has.
    changes: watch::Sender<u64>,
    list_changed: Arc<Notify>,
    /// Whether it was closed for good.
    closed: watch::Sender<bool>,
    /// The names that were told, by the server's own.
    names_told: std::sync::Mutex<BTreeMap<String, String>>,
}

#[derive(Debug, Default)]
struct Connection {
    live: Option<Arc<Live>>,
    /// How often it was begun.
    starts: u32,
}

/// A connection. The fields are dropped in their order: the input of a program is closed before it is ended.
#[derive(Debug)]
struct Live {
    service: RunningService<RoleClient, Handler>,
    child: Option<Child>,
}

impl Server {
    pub(crate) fn new(
        config: ServerConfig,
        options: &McpOptions,
        all_slots: Arc<Semaphore>,
        changes: watch::Sender<u64>,
    ) -> Arc<Self> {
        let events = EventSender { server: config.name.as_str().into(), watch: options.watch.clone() };
        let server = Arc::new(Self {
            config,
            options: options.clone(),
            events,
            connection: Mutex::default(),
            slots: Semaphore::new(options.parallel_per_server.max(1)),
            all_slots,
            listing: RwLock::default(),
            trouble: RwLock::default(),
            changes,
            list_changed: Arc::new(Notify::new()),
            closed: watch::Sender::new(false),
            names_told: std::sync::Mutex::default(),
        });
        tokio::spawn(follow(Arc::downgrade(&server), Arc::clone(&server.list_changed)));
        server
    }

    /// What it has, as it was listed last.
    pub(crate) fn listing(&self) -> Arc<Listing> {
        Arc::clone(&self.listing.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Why it is not there, if it is not.
    pub(crate) fn trouble(&self) -> Option<McpError> {
        self.trouble.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The id of its process, while it is a program that runs.
    pub(crate) async fn process(&self) -> Option<u32> {
        let connection = self.connection.lock().await;
        connection.live.as_ref().filter(|live| live.is_up())?.child.as_ref()?.id()
    }

    /// Begins, if it has not.
    pub(crate) async fn begin(&self) -> Result<(), McpError> {
        self.live("its start").await.map(drop)
    }

    /// Asks it again for what it has, because it said that something changed.
    pub(crate) async fn list_again(&self) {
        let live = self.connection.lock().await.live.clone();
        let Some(live) = live.filter(|live| live.is_up()) else { return };
        let listed = list(live.service.peer(), &self.config, &self.events);
        match tokio::time::timeout(self.options.start_limit, listed).await {
            Ok(Ok(listing)) => {
                self.take(listing);
                self.events.tell(McpEventKind::Changed, "it has other tools, resources or prompts now");
            }
            Ok(Err(error)) => {
                self.events.tell(McpEventKind::Failed, format!("what it has now could not be listed: {error}"));
            }
            Err(_elapsed) => self.events.tell(McpEventKind::Failed, "it did not list what it has now in time"),
        }
    }

    /// Ends it for good, with the calls that are made of it, and waits until its program is gone.
    pub(crate) async fn end(&self) {
        self.closed.send_replace(true);
        let Some(live) = self.connection.lock().await.live.take() else { return };
        match Arc::try_unwrap(live) {
            Ok(Live { mut service, child }) => {
                let _ = service.close_with_timeout(LAST_WORDS).await;
                if let Some(child) = child {
                    child.finish().await;
                }
            }
            Err(live) => {
                // A call holds it, and ends with the connection.
                live.service.cancellation_token().cancel();
                if let Some(child) = &live.child {
                    child.finish().await;
                }
            }
        }
    }

    /// Makes one request of it, within the limits of time and of calls at once. `what` is the tool, for messages.
    ///
    /// Dropping the future tells the server that nobody waits for the answer.
    pub(crate) async fn request<T, F>(
        &self,
        what: &str,
        limit: Option<Duration>,
        request: impl FnOnce(Peer<RoleClient>) -> F,
    ) -> Result<T, McpError>
    where
        F: Future<Output = Result<T, ServiceError>>,
    {
        let live = self.live(what).await?;
        let limit = limit.unwrap_or(self.options.call_limit);
        let work = async {
            // The server's own turn comes first: who waits for it keeps no other server waiting.
            let _own = self.slots.acquire().await;
            let _all = self.all_slots.acquire().await;
            request(live.service.peer().clone()).await
        };
        match tokio::time::timeout(limit, work).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(self.explained(what, &live, &error).await),
            Err(_elapsed) => Err(McpError::TimedOut { server: self.config.name.clone(), tool: what.to_owned(), limit }),
        }
    }

    /// Lists it again: it does not know a tool that it listed.
    pub(crate) fn forgot(&self) {
        self.list_changed.notify_one();
    }

    /// Whether a tool was not told yet under this name.
    pub(crate) fn is_new_name(&self, tool: &str, name: &str) -> bool {
        let mut told = self.names_told.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(tool.to_owned(), name.to_owned()).as_deref() != Some(name)
    }

    async fn explained(&self, what: &str, live: &Live, error: &ServiceError) -> McpError {
        let (server, tool) = (self.config.name.clone(), what.to_owned());
        if *self.closed.borrow() {
            return self.closed_error(what);
        }
        if error.is_authorization_required() {
            return McpError::LoginNeeded { server };
        }
        match failed(error, what, &self.config.place) {
            Failure::Unknown => {
                // The list of its tools is older than it is.
                self.forgot();
                McpError::UnknownTool { server, tool }
            }
            Failure::TooLong => McpError::TooLong { server, tool, limit: self.options.message_bytes },
            Failure::Unreadable(reason) => McpError::Unreadable { server, tool, reason },
            Failure::Protocol { code, message } => McpError::Protocol { server, tool, code, message },
            Failure::Unanswered(reason) if live.is_up() => McpError::Unanswered { server, tool, reason },
            Failure::Unanswered(reason) | Failure::Broken(reason) => {
                let reason = live.last_words(&reason).await;
                if !live.is_up() {
                    self.events.tell(McpEventKind::Ended, reason.clone());
                }
                McpError::Ended { server, tool, reason }
            }
        }
    }

    fn closed_error(&self, what: &str) -> McpError {
        McpError::Closed { server: self.config.name.clone(), tool: what.to_owned() }
    }

    /// The connection; a new one where it ended.
    async fn live(&self, what: &str) -> Result<Arc<Live>, McpError> {
        let mut connection = self.connection.lock().await;
        if *self.closed.borrow() {
            return Err(self.closed_error(what));
        }
        if let Some(live) = connection.live.as_ref().filter(|live| live.is_up()) {
            return Ok(Arc::clone(live));
        }
        connection.live = None;
        let again = connection.starts > 0;
        if connection.starts > self.options.restarts {
            let error = McpError::GaveUp {
                server: self.config.name.clone(),
                tool: what.to_owned(),
                times: self.options.restarts,
            };
            self.note(Some(error.clone()));
            return Err(error);
        }
        connection.starts += 1;
        let mut closed = self.closed.subscribe();
        let started = tokio::select! {
            started = self.start() => started,
            _ = closed.wait_for(|closed| *closed) => Err(self.closed_error(what)),
        };
        match started {
            Ok((live, listing)) => {
                self.note(None);
                let now = if again { "it was started again" } else { "it was started" };
                self.events.tell(McpEventKind::Started, format!("{now} and has {} tools", listing.tools.len()));
                self.take(listing);
                let live = Arc::new(live);
                connection.live = Some(Arc::clone(&live));
                Ok(live)
            }
            Err(error) => {
                self.events.tell(McpEventKind::Failed, error.to_string());
                self.note(Some(error.clone()));
                Err(error)
            }
        }
    }

    /// Starts it and lists what it has.
    async fn start(&self) -> Result<(Live, Listing), McpError> {
        let server = self.config.name.clone();
        let limit = self.options.start_limit;
        let failed = |reason: String| McpError::Start { server: server.clone(), reason };
        let handler = Handler {
            events: self.events.clone(),
            changed: Arc::clone(&self.list_changed),
            logged: AtomicUsize::new(0),
        };
        let hearing = Arc::new(Hearing::new(self.events.clone()));
        let (service, child) = match &self.config.place {
            Place::Command { command, .. } => {
                let (child, stdin, lines) = start(&self.config.place, self.options.message_bytes, &self.events)
                    .map_err(|error| failed(format!("`{command}` cannot be started: {error}")))?;
                let transport = Standard::new(stdin, lines, self.options.message_bytes, hearing);
                (tokio::time::timeout(limit, handler.serve(transport)).await, Some(child))
            }
            Place::Http { url, headers, oauth } => {
                let (client, config) =
                    client(url, headers, self.options.message_bytes, self.options.parallel_per_server, hearing)
                        .map_err(&failed)?;
                let login = async {
                    match &self.options.logins {
                        Some(logins) if !has_authorization(headers) => authorization(url, oauth, logins).await,
                        _ => Ok(None),
                    }
                };
                let login = tokio::time::timeout(limit, login);
                let login = login.await.map_err(|_elapsed| failed("nothing answered about its login".to_owned()))?;
                let login = login.map_err(|error| failed(self.config.place.without_address(&chain(&error))))?;
                let serving = async {
                    match login {
                        Some(login) => {
                            let client = AuthClient::new(client, login);
                            handler.serve(StreamableHttpClientTransport::with_client(client, config)).await
                        }
                        None => handler.serve(StreamableHttpClientTransport::with_client(client, config)).await,
                    }
                };
                (tokio::time::timeout(limit, serving).await, None)
            }
        };
        let timed_out = |child: Option<&Child>| McpError::StartTimedOut {
            server: server.clone(),
            limit,
            stderr: child.map(Child::last_words).unwrap_or_default(),
        };
        let service = match service {
            Ok(Ok(service)) => service,
            Ok(Err(error)) if error.is_authorization_required() => return Err(McpError::LoginNeeded { server }),
            Ok(Err(error)) => return Err(failed(self.not_begun(child.as_ref(), &error).await)),
            Err(_elapsed) => return Err(timed_out(child.as_ref())),
        };
        let live = Live { service, child };
        match tokio::time::timeout(limit, list(live.service.peer(), &self.config, &self.events)).await {
            Ok(Ok(listing)) => Ok((live, listing)),
            Ok(Err(error)) if error.is_authorization_required() => Err(McpError::LoginNeeded { server }),
            Ok(Err(ServiceError::McpError(error))) => {
                Err(failed(format!("it refused to list its tools: {}", refusal(&error))))
            }
            Ok(Err(error)) => {
                let reason = self.config.place.without_address(&chain(&error));
                Err(failed(live.last_words(&reason).await))
            }
            Err(_elapsed) => Err(timed_out(live.child.as_ref())),
        }
    }

    /// Why it did not begin. A program whose connection did not break has not ended: how it ends when it is no longer needed
    /// says nothing.
    async fn not_begun(&self, child: Option<&Child>, error: &ClientInitializeError) -> String {
        let reason = self.config.place.without_address(&chain(error));
        match error {
            ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => {
                words_of(child, &reason).await
            }
            ClientInitializeError::JsonRpcError(error) => {
                let stderr = child.map(Child::last_words).unwrap_or_default();
                format!("it refused to begin: {}{}", refusal(error), told(&stderr))
            }
            _ => format!("{reason}{}", told(&child.map(Child::last_words).unwrap_or_default())),
        }
    }

    fn take(&self, listing: Listing) {
        *self.listing.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(listing);
        self.changes.send_modify(|count| *count += 1);
    }

    fn note(&self, trouble: Option<McpError>) {
        *self.trouble.write().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// Ends the task that follows its lists.
impl Drop for Server {
    fn drop(&mut self) {
        self.list_changed.notify_one();
    }
}

impl Live {
    fn is_up(&self) -> bool {
        !self.service.is_closed() && !self.service.peer().is_transport_closed()
    }

    async fn last_words(&self, reason: &str) -> String {
        words_of(self.child.as_ref(), reason).await
    }
}

/// How a program ended and its last errors; `reason` where it runs on.
async fn words_of(child: Option<&Child>, reason: &str) -> String {
    let Some(child) = child else { return reason.to_owned() };
    let ended = child.end_within(LAST_WORDS).await;
    format!("{}{}", ended.as_deref().unwrap_or(reason), told(&child.last_words()))
}
