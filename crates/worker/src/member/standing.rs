//! The row of a member, its heartbeats, and members that are silent.

use std::sync::Weak;
use std::time::Instant;

use tokio::time::{MissedTickBehavior, interval};

use super::{Member, Role};
use crate::batches::until_reached;
use crate::database::Database;

const ENTER: &str = "INSERT INTO members (id, kind, process, address, graphs, places)
    VALUES ($1, $2, $3, host(inet_client_addr()), $4, $5)";
const BEAT: &str = "UPDATE members SET seen = clock_timestamp() WHERE id = $1";
const SWEEP: &str = "DELETE FROM members WHERE seen < clock_timestamp() - make_interval(secs => $1) RETURNING id, kind";
const LEAVE: &str = "DELETE FROM members WHERE id = $1";

impl Member {
    /// Becomes a new member.
    pub(super) async fn enter(&self) -> Result<(), sqlx::Error> {
        let id = Self::new_id();
        let process = i64::from(std::process::id());
        let (graphs, places): (&[String], _) = match &self.role {
            Role::Driver => (&[], 0),
            Role::Worker { graphs, places } => (graphs, i64::try_from(*places).unwrap_or(i64::MAX)),
        };
        let row = sqlx::query(ENTER).bind(&id).bind(self.role.name()).bind(process).bind(graphs).bind(places);
        row.execute(&self.database.pool).await?;
        self.id.send_replace(id);
        Ok(())
    }

    /// Tells that this member is alive, or becomes a new one where it was taken for dead.
    async fn renew(&self) -> Result<(), sqlx::Error> {
        let beat = sqlx::query(BEAT).bind(self.id()).execute(&self.database.pool).await?;
        if beat.rows_affected() == 0 {
            tracing::warn!("this process was silent for too long: others took over what it did, and it begins anew");
            self.enter().await?;
        }
        Ok(())
    }

    /// Removes the members that are silent.
    async fn sweep(&self) -> Result<(), sqlx::Error> {
        let silent: Vec<(String, String)> =
            sqlx::query_as(SWEEP).bind(self.options.expiry().as_secs_f64()).fetch_all(&self.database.pool).await?;
        for (id, kind) in silent {
            tracing::warn!(%id, %kind, "a process is silent: what it did is taken over");
        }
        Ok(())
    }
}

/// Beats until the member is dropped.
pub(super) async fn beat(member: Weak<Member>) {
    let Some(heartbeat) = member.upgrade().map(|here| here.options.heartbeat) else { return };
    // Twice as often as stated, so that one that is late does no harm.
    let mut ticks = interval(heartbeat / 2);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut reached: Option<Instant> = None;
    loop {
        ticks.tick().await;
        let Some(here) = member.upgrade() else { return };
        let began = Instant::now();
        let beat = async {
            here.renew().await?;
            // Who could not reach the database itself does not know who could.
            if reached.is_some_and(|reached| began.duration_since(reached) < heartbeat) {
                here.sweep().await?;
            }
            Ok::<_, sqlx::Error>(())
        };
        match beat.await {
            Ok(()) => reached = Some(began),
            Err(error) => tracing::warn!(%error, "a heartbeat did not reach the database"),
        }
    }
}

/// Leaves the others: nobody waits for this member.
pub(super) async fn leave(database: &Database, id: &str) {
    let leave = until_reached(|| sqlx::query(LEAVE).bind(id).execute(&database.pool));
    if let Err(error) = leave.await {
        tracing::warn!(%error, "the end of this process is not told; the others find it out");
    }
}
