//! Stopping a turn that another process is at work on.

use std::time::Duration;

use graphloom_cli::{ExitStatus, Failure, Session};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_pocketflow::Conversations;
use serde_json::json;
use tokio::time::sleep;

use crate::inspect::print_result;
use crate::open::{checked_id, open_existing};

/// How often a process at work looks whether it is to stop, and who asked it whether it has.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Who has not stopped after so many looks is not there.
const LOOKS: usize = 50;

/// Stops the turn that begins now as soon as another process asks for it, and returns then.
pub(crate) async fn when_asked(conversations: &Conversations, id: &str) {
    let before = conversations.stop_requests(id).await.unwrap_or(u64::MAX);
    loop {
        // A store that is busy is asked again.
        let asked = conversations.stop_requests(id).await.unwrap_or_default();
        if asked > before && conversations.stop(id) {
            return;
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Asks the process at work to stop, and waits until it has.
pub(crate) async fn stop(session: &Session, id: &str) -> Result<ExitStatus, Failure> {
    let conversations = open_existing(session, checked_id(id)?).await?;
    let thread = conversations.threads().thread(id);
    if thread.state().await?.status != ThreadStatus::Running {
        let value = json!({ "thread": id, "stopped": false });
        return print_result(session, &format!("No turn of `{id}` goes on."), &value);
    }
    conversations.request_stop(id).await?;
    for _ in 0..LOOKS {
        sleep(POLL_INTERVAL).await;
        let (stopped, text) = match thread.state().await?.status {
            ThreadStatus::Running => continue,
            ThreadStatus::Cancelled => (true, format!("The turn of `{id}` is stopped; what was done so far is kept.")),
            _ => (false, format!("The turn of `{id}` ended before it could be stopped.")),
        };
        return print_result(session, &text, &json!({ "thread": id, "stopped": stopped }));
    }
    let message = format!(
        "no process stopped the turn of `{id}`: the one at work was killed, or cannot be reached. `pocketflow resume {id}` \
         goes on with the turn, `pocketflow say {id} cancel` drops it"
    );
    Err(Failure::new(ExitStatus::Failed, message))
}
