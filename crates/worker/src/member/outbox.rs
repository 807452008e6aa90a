//! Letters that are sent.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::FutureExt;
use graphloom_checkpoint_encrypted::MessageKeys;
use sqlx::{PgPool, Row};

use super::Letter;
use crate::batches::Batches;
use crate::database::Database;

/// How the names of channels begin.
pub(super) const CHANNEL: &str = "graphloom_";

/// Sends the letters to those recipients that are members, and tells these.
const SEND: &str = "WITH sent AS (
    INSERT INTO letters (recipient, body)
    SELECT m.id, l.body FROM unnest($1::text[], $2::bytea[]) WITH ORDINALITY AS l (recipient, body, n)
    JOIN members m ON m.id = l.recipient ORDER BY l.n
    RETURNING recipient
), recipients AS (SELECT DISTINCT recipient FROM sent)
SELECT recipient, pg_notify($3 || recipient, '')::text FROM recipients";

/// What became of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It is in the mailbox of its recipient.
    Delivered,
    /// The recipient is no member any more.
    Gone,
}

/// Letters on their way.
pub(super) struct Outbox {
    keys: MessageKeys,
    letters: Batches<(String, Vec<u8>), Sent>,
}

impl Outbox {
    pub(super) fn new(database: &Database, keys: &MessageKeys) -> Self {
        let (pool, keys) = (database.pool.clone(), keys.clone());
        Self { keys, letters: Batches::new(Box::new(move |letters| send(pool.clone(), letters).boxed())) }
    }

    pub(super) async fn send(&self, recipient: &str, letter: &Letter) -> Result<Sent, Arc<sqlx::Error>> {
        let body = letter.to_bytes(&self.keys, recipient).map_err(|error| Arc::new(sqlx::Error::Encode(error)))?;
        self.letters.give((recipient.to_owned(), body)).await
    }
}

async fn send(pool: PgPool, letters: Arc<[(String, Vec<u8>)]>) -> Result<Vec<Sent>, sqlx::Error> {
    let (recipients, bodies): (Vec<&str>, Vec<&[u8]>) =
        letters.iter().map(|(recipient, body)| (recipient.as_str(), body.as_slice())).unzip();
    let sent = sqlx::query(SEND).bind(&recipients).bind(&bodies).bind(CHANNEL).fetch_all(&pool).await?;
    let reached = sent.iter().map(|row| row.try_get(0)).collect::<Result<BTreeSet<String>, _>>()?;
    let sent = |recipient: &&str| if reached.contains(*recipient) { Sent::Delivered } else { Sent::Gone };
    Ok(recipients.iter().map(sent).collect())
}
