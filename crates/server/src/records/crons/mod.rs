//! Crons: runs that start by the calendar.
//!
//! A cron that is due is started by putting its run under [`Cron::next_run_id`] and then moving the cron on with
//! [`Crons::advance`]. Each of the two happens once, however many processes try, and a crash between them is made good
//! by trying again: the run is there already then.

mod cron;
mod schedule;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::Clock;
use graphloom_core_graph::store::Store;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

use super::collection::Collection;
use super::containment::{conditions, contains_fields};
use super::error::RecordError;
use super::listing::{Arrangement, Listing, Paging};
use super::runs::Completion;
use super::{merge, parse_timestamp};
pub(crate) use cron::Cron;

/// What a cron is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct CronCreate {
    /// The assistant of its runs.
    pub(crate) assistant_id: Uuid,
    /// The thread of its runs.
    pub(crate) thread_id: Option<Uuid>,
    /// When, in five fields.
    pub(crate) schedule: String,
    /// The time zone.
    pub(crate) timezone: Option<String>,
    /// From when on it runs no more, RFC 3339.
    pub(crate) end_time: Option<String>,
    /// Whether it runs; it does unless set.
    pub(crate) enabled: Option<bool>,
    /// What happens to a thread that was made for one of its runs.
    pub(crate) on_run_completed: Option<Completion>,
    /// The fields of its runs' requests.
    pub(crate) payload: Map<String, Value>,
    /// The metadata.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// Whose it is.
    pub(crate) user_id: Option<String>,
}

/// What a change of a cron sets; the rest stays.
#[derive(Clone, Debug, Default)]
pub(crate) struct CronPatch {
    /// When, in five fields.
    pub(crate) schedule: Option<String>,
    /// The time zone.
    pub(crate) timezone: Option<String>,
    /// From when on it runs no more, RFC 3339.
    pub(crate) end_time: Option<String>,
    /// Whether it runs.
    pub(crate) enabled: Option<bool>,
    /// What happens to a thread that was made for one of its runs.
    pub(crate) on_run_completed: Option<Completion>,
    /// Fields over those of its runs' requests.
    pub(crate) payload: Map<String, Value>,
    /// Metadata over those there are.
    pub(crate) metadata: Option<Map<String, Value>>,
}

/// What a search for crons asks for. The fields are those of the wire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct CronSearch {
    /// The assistant.
    pub(crate) assistant_id: Option<Uuid>,
    /// The thread.
    pub(crate) thread_id: Option<Uuid>,
    /// Whether it runs.
    pub(crate) enabled: Option<bool>,
    /// What the metadata contains.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// At most this many, 10 unless set.
    pub(crate) limit: Option<usize>,
    /// Skips this many.
    pub(crate) offset: Option<usize>,
    /// The field that orders them, `created_at` unless set.
    pub(crate) sort_by: Option<String>,
    /// `asc` or `desc`; `desc` unless set.
    pub(crate) sort_order: Option<String>,
    /// The fields that are answered, all unless set.
    pub(crate) select: Option<Vec<String>>,
}

impl CronSearch {
    fn paging(&self) -> Paging<'_> {
        Paging {
            limit: self.limit,
            offset: self.offset,
            sort_by: self.sort_by.as_deref(),
            sort_order: self.sort_order.as_deref(),
            select: self.select.as_deref(),
        }
    }

    /// What a store can look for.
    fn conditions(&self) -> Vec<(String, Value)> {
        let assistant = self.assistant_id.map(|id| ("assistant_id".to_owned(), json!(id)));
        let thread = self.thread_id.map(|id| ("thread_id".to_owned(), json!(id)));
        assistant.into_iter().chain(thread).chain(conditions("metadata", self.metadata.as_ref())).collect()
    }

    fn matches(&self, cron: &Cron) -> bool {
        self.assistant_id.is_none_or(|id| id == cron.assistant_id)
            && self.thread_id.is_none_or(|id| Some(id) == cron.thread_id)
            && self.enabled.is_none_or(|enabled| enabled == cron.enabled)
            && self.metadata.as_ref().is_none_or(|part| contains_fields(&cron.metadata, part))
    }
}

/// The crons of a store.
#[derive(Clone)]
pub(crate) struct Crons {
    crons: Collection<Cron>,
    clock: Arc<dyn Clock>,
    changed: Arc<Notify>,
}

impl fmt::Debug for Crons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crons").finish_non_exhaustive()
    }
}

impl Crons {
    pub(super) fn new(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        Self { crons: Collection::new(store, "Cron", "crons"), clock: Arc::clone(clock), changed: Arc::default() }
    }

    /// Makes a cron.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] for a schedule, a time zone or a time that is none.
    pub(crate) async fn create(&self, new: CronCreate) -> Result<Cron, RecordError> {
        let now = self.clock.now();
        let mut cron = Cron {
            cron_id: Uuid::now_v7(),
            assistant_id: new.assistant_id,
            thread_id: new.thread_id,
            schedule: new.schedule,
            timezone: new.timezone,
            end_time: end_time(new.end_time.as_deref())?,
            enabled: new.enabled.unwrap_or(true),
            on_run_completed: new.on_run_completed,
            payload: new.payload,
            next_run_date: None,
            metadata: new.metadata.unwrap_or_default(),
            created: now,
            updated: now,
            user_id: new.user_id,
        };
        cron.plan(now)?;
        self.crons.put(&[], &cron.cron_id.to_string(), &cron).await?;
        self.changed.notify_waiters();
        Ok(cron)
    }

    /// A cron.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn get(&self, id: Uuid) -> Result<Cron, RecordError> {
        self.crons.get(&[], &id.to_string()).await
    }

    /// Changes a cron. Its next run is planned anew when the change is about time, or switches it on.
    ///
    /// # Errors
    /// [`RecordError::NotFound`], and [`RecordError::BadRequest`] for a schedule, a time zone or a time that is none.
    pub(crate) async fn patch(&self, id: Uuid, patch: &CronPatch) -> Result<Cron, RecordError> {
        let end = end_time(patch.end_time.as_deref())?;
        let change = |cron: &mut Cron| {
            let now = self.clock.now();
            let switched_on = patch.enabled == Some(true) && !cron.enabled;
            cron.schedule = patch.schedule.clone().unwrap_or_else(|| cron.schedule.clone());
            cron.timezone = patch.timezone.clone().or_else(|| cron.timezone.clone());
            cron.end_time = end.or(cron.end_time);
            cron.enabled = patch.enabled.unwrap_or(cron.enabled);
            cron.on_run_completed = patch.on_run_completed.or(cron.on_run_completed);
            merge(&mut cron.payload, patch.payload.clone());
            merge(&mut cron.metadata, patch.metadata.clone().unwrap_or_default());
            cron.updated = now;
            if switched_on || patch.schedule.is_some() || patch.timezone.is_some() || end.is_some() {
                cron.plan(now)?;
            }
            Ok(())
        };
        let cron = self.crons.update(&[], &id.to_string(), change).await?;
        self.changed.notify_waiters();
        Ok(cron)
    }

    /// Returns when a client of this process makes or changes a cron from now on.
    pub(crate) fn changed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut changed = Box::pin(Arc::clone(&self.changed).notified_owned());
        changed.as_mut().enable();
        changed
    }

    /// Deletes a cron.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn delete(&self, id: Uuid) -> Result<(), RecordError> {
        let key = id.to_string();
        if self.crons.delete(&[], &key).await? { Ok(()) } else { Err(self.crons.not_found(&key)) }
    }

    /// Deletes the crons of an assistant.
    pub(crate) async fn delete_of_assistant(&self, id: Uuid) -> Result<(), RecordError> {
        self.delete_matching(&CronSearch { assistant_id: Some(id), ..CronSearch::default() }).await
    }

    /// Deletes the crons of a thread.
    pub(crate) async fn delete_of_thread(&self, id: Uuid) -> Result<(), RecordError> {
        self.delete_matching(&CronSearch { thread_id: Some(id), ..CronSearch::default() }).await
    }

    async fn delete_matching(&self, search: &CronSearch) -> Result<(), RecordError> {
        for cron in self.matching(search).await? {
            self.crons.delete(&[], &cron.cron_id.to_string()).await?;
        }
        Ok(())
    }

    /// When the next cron is due; none when no cron will be.
    pub(crate) async fn next_due(&self) -> Result<Option<u64>, RecordError> {
        let crons = self.crons.all(&[], &[]).await?;
        let next = crons.iter().filter(|cron| cron.enabled).filter_map(|cron| cron.next_run_date);
        Ok(next.min())
    }

    /// The crons that match, a page of them in the form clients see.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] for a page, order or field that cannot be answered.
    pub(crate) async fn search(&self, search: &CronSearch) -> Result<Listing, RecordError> {
        let arrangement = Arrangement::new(search.paging())?;
        Ok(arrangement.page(self.matching(search).await?, Cron::wire))
    }

    /// How many crons match.
    pub(crate) async fn count(&self, search: &CronSearch) -> Result<usize, RecordError> {
        Ok(self.matching(search).await?.len())
    }

    /// The crons whose run is to start, the longest due first.
    pub(crate) async fn due(&self, now: u64) -> Result<Vec<Cron>, RecordError> {
        let mut crons = self.crons.all(&[], &[]).await?;
        crons.retain(|cron| cron.is_due(now));
        crons.sort_by_key(|cron| (cron.next_run_date, cron.cron_id));
        Ok(crons)
    }

    /// Moves a cron on after its run was put, to the first time after `now`: runs that were missed meanwhile, with no
    /// server there, are not made up for. Tells whether this call moved it: another process may have, or a client may
    /// have changed or deleted the cron.
    pub(crate) async fn advance(&self, due: &Cron, now: u64) -> Result<bool, RecordError> {
        let mut moved = false;
        let change = |cron: &mut Cron| {
            moved = cron.next_run_date == due.next_run_date;
            if moved {
                cron.plan(now)?;
            }
            Ok(())
        };
        match self.crons.update(&[], &due.cron_id.to_string(), change).await {
            Ok(_) => Ok(moved),
            Err(RecordError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn matching(&self, search: &CronSearch) -> Result<Vec<Cron>, RecordError> {
        let mut crons = self.crons.all(&[], &search.conditions()).await?;
        crons.retain(|cron| search.matches(cron));
        Ok(crons)
    }
}

fn end_time(text: Option<&str>) -> Result<Option<u64>, RecordError> {
    text.map(|text| parse_timestamp("end_time", text)).transpose()
}
