//! Letters that come.

use std::sync::Weak;
use std::time::Duration;

use sqlx::Row;
use sqlx::postgres::PgListener;
use tokio::time::{sleep, timeout};

use super::{Letter, Member};

/// How often is looked for letters of which nothing was heard.
const LOOK: Duration = Duration::from_secs(1);
/// How many letters are taken up at a time.
const TOGETHER: i64 = 500;

/// Deletes letters that were taken up, and reads others.
const READ: &str = "WITH taken AS (DELETE FROM letters WHERE id = ANY ($2))
    SELECT id, body FROM letters WHERE recipient = $1 AND id <> ALL ($2) ORDER BY id LIMIT $3";

/// Takes letters up until the member is dropped. A connection that is lost is made anew.
pub(super) async fn read(member: Weak<Member>) {
    // Letters to this id that were taken up, and are perhaps still there.
    let (mut of, mut taken) = (String::new(), Vec::new());
    while let Some(here) = member.upgrade() {
        let id = here.id();
        let listening = here.database.listening.clone();
        drop(here);
        if of != id {
            (of, taken) = (id.clone(), Vec::new());
        }
        let read = async {
            let mut listener = PgListener::connect_with(&listening).await?;
            listener.listen(&Member::channel(&id)).await?;
            read_as(&member, &id, &mut listener, &mut taken).await
        };
        if let Err(error) = read.await {
            tracing::warn!(%error, "letters of other processes cannot be read; it is tried again");
            sleep(LOOK).await;
        }
    }
}

/// Takes the letters to this id up, until this process is another member.
async fn read_as(
    member: &Weak<Member>,
    id: &str,
    listener: &mut PgListener,
    taken: &mut Vec<i64>,
) -> Result<(), sqlx::Error> {
    loop {
        let Some(here) = member.upgrade().filter(|here| *here.id.borrow() == id) else { return Ok(()) };
        let read = sqlx::query(READ).bind(id).bind(&*taken).bind(TOGETHER);
        let rows = read.fetch_all(&here.database.pool).await?;
        taken.clear();
        for row in rows {
            taken.push(row.try_get(0)?);
            here.take(id, row.try_get(1)?);
        }
        let mut renewed = here.renewed();
        drop(here);
        if taken.is_empty() {
            // What was not heard is looked for; so is what was sent while the connection was lost.
            tokio::select! {
                heard = timeout(LOOK, listener.recv()) => drop(heard.ok().transpose()?),
                _ = renewed.wait_for(|now| now != id) => {}
            }
        }
    }
}

impl Member {
    /// Hands a letter to the task that it is about, if that one is still there.
    pub(crate) fn deliver(&self, letter: Letter) {
        if let Some(task) = self.tasks.get(&letter.task) {
            drop(task.send(letter));
        }
    }

    fn take(&self, id: &str, body: Vec<u8>) {
        match Letter::from_bytes(&self.options.keys, id, body) {
            Ok(letter) => self.deliver(letter),
            // A newer version says something that this one does not know, or it is encrypted with a key that is not here.
            Err(error) => tracing::warn!(%error, "a letter of another process cannot be read"),
        }
    }
}
