//! `--studio`: a run is shown in the studio while it lasts.
//!
//! The program serves its own run, on this machine only: the server drives it, the program follows it, and whoever has the
//! link sees it, stops it and answers its questions. Checkpoints are where they always are; what the server keeps beside
//! them ends with the program.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use graphloom_core_graph::{Run, RunPolicy, State, Threads};
use graphloom_server::{ProgramThread, Running, Security, Server};
use serde_json::json;

use crate::interrupt::{FollowedRun, SignalSubscription};
use crate::{ConsentArgs, Failure, JSON_VERSION, Session};

/// How long the end of the program waits for pages that still read.
const DRAIN: Duration = Duration::from_secs(2);

/// The option of commands whose run can be shown in the studio.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Shared options")]
#[non_exhaustive]
pub struct StudioArgs {
    /// Show the run in the studio while it lasts: a page for this machine's browsers, at an address that is printed. Its
    /// questions are answered there and not on the terminal
    #[arg(long, global = true)]
    pub studio: bool,
}

impl StudioArgs {
    /// Who may be asked elsewhere: with `--studio` nobody, neither on the terminal nor by stdin.
    #[must_use]
    pub fn elsewhere(self, consent: &ConsentArgs) -> ConsentArgs {
        ConsentArgs { no_input: consent.no_input || self.studio, ..consent.clone() }
    }
}

/// The studio of a run: open with `--studio`, else closed.
#[derive(Debug)]
pub struct Studio<S: State>(Option<Open<S>>);

#[derive(Debug)]
struct Open<S: State> {
    running: Running,
    thread: ProgramThread<S>,
    /// Where the run is shown.
    link: String,
    /// Whether questions are waited for.
    asks: bool,
    /// The person at the terminal left the run waiting: as long as this is held, that signal does not end the program.
    left: Option<SignalSubscription>,
}

impl<S: State> Studio<S> {
    /// A studio that is closed: runs are followed without it.
    pub fn closed() -> Self {
        Self(None)
    }

    /// Opens the studio, where the option asks for it, and tells where it is. Runs that are begun there have this policy;
    /// `describe` states more of the graph, which has the name of the program.
    ///
    /// # Errors
    /// No port is free; the run cannot be read.
    pub async fn open<Cx: Send + Sync + 'static>(
        args: StudioArgs,
        consent: &ConsentArgs,
        session: &Session,
        threads: &Threads<S, Cx>,
        id: &str,
        policy: RunPolicy,
        describe: impl FnOnce(Server) -> Server,
    ) -> Result<Self, Failure> {
        if !args.studio {
            return Ok(Self::closed());
        }
        let (server, thread) = Server::new().program_thread(session.program(), threads, id, policy);
        let mut security = Security::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        security.limits.drain = DRAIN;
        let server = describe(server).page(graphloom_studio::PATH, graphloom_studio::page());
        // The commands that may open a studio are not to be as large as a server.
        let running = Box::pin(server.start(security)).await?;
        Box::pin(running.show(&thread)).await?;
        let server = format!("http://{}", running.address());
        let link = format!("{server}{}/#/threads/{}", graphloom_studio::PATH, thread.id());
        session.progress.note(format!("studio: {link}"));
        session.progress.event(&json!({
            "v": JSON_VERSION, "event": "studio", "run": id, "thread": thread.id().to_string(), "server": server, "url": link,
        }));
        Ok(Self(Some(Open { running, thread, link, asks: !consent.no_input, left: None })))
    }

    /// Whether the run is shown.
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Begins a run, to be [followed](crate::follow): in the studio where it is open. Where somebody began one there a moment
    /// ago, that one is followed instead.
    ///
    /// # Errors
    /// The run cannot be recorded.
    pub async fn begin(&mut self, run: Run<S>) -> Result<FollowedRun<S>, Failure> {
        let Some(open) = &mut self.0 else { return Ok(run.into()) };
        Box::pin(open.running.begin(&open.thread, run)).await?;
        match open.thread.next().await {
            Some(run) => Ok(run.into()),
            None => Err(Failure::new(crate::ExitStatus::Failed, "the server of the studio has stopped")),
        }
    }

    /// Waits until a person lets a run that waits go on in the studio, and returns the run that goes on. None where nobody
    /// can: the studio is closed, nothing is to be asked, or the person at the terminal leaves the run waiting.
    pub async fn answered(&mut self, session: &Session) -> Option<FollowedRun<S>> {
        self.next_run(session, "the run waits for an answer in the studio", "Ctrl-C leaves it waiting").await
    }

    /// Waits until a person says something in the studio, and returns the run that answers it. None where nobody can, or the
    /// person at the terminal ends the conversation there.
    pub async fn said(&mut self, session: &Session) -> Option<FollowedRun<S>> {
        self.next_run(session, "the conversation goes on in the studio", "Ctrl-C ends it there").await
    }

    async fn next_run(&mut self, session: &Session, what: &str, leaving: &str) -> Option<FollowedRun<S>> {
        let open = self.0.as_mut().filter(|open| open.asks)?;
        let mut subscription = session.interrupt.subscribe();
        session.progress.note(format!("{what}: {}; {leaving}", open.link));
        session.progress.event(&json!({ "v": JSON_VERSION, "event": "waiting", "url": open.link }));
        tokio::select! {
            run = open.thread.next() => run.map(FollowedRun::from),
            _ = subscription.signal() => {
                open.left = Some(subscription);
                None
            }
        }
    }

    /// Closes the studio, after pages were told how the run ended.
    pub async fn close(self) {
        if let Some(Open { running, left, .. }) = self.0 {
            Box::pin(running.stop()).await;
            drop(left);
        }
    }
}
