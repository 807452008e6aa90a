//! Crons: runs that start by the calendar.
//!
//! A cron that is due is started by putting its run under [`Cron::next_run_id`] and then moving the cron on with
//! [`Crons::advance`]. Each of the two happens once, however many processes try, and a crash between them is made good
//! by trying again: the run is there already then.

mod cron;
mod schedule;

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::Clock;
use graphloom_core_graph::store::Store;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::collection::Collection;
use super::containment::contains_fields;
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
}

impl fmt::Debug for Crons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crons").finish_non_exhaustive()
    }
}

impl Crons {
    pub(super) fn new(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        Self { crons: Collection::new(store, "Cron", "crons"), clock: Arc::clone(clock) }
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
        self.crons.update(&[], &id.to_string(), change).await
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
        let mut crons = self.crons.all(&[], &[]).await?;
        crons.retain(|cron| search.matches(cron));
        Ok(crons)
    }
}

fn end_time(text: Option<&str>) -> Result<Option<u64>, RecordError> {
    text.map(|text| parse_timestamp("end_time", text)).transpose()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::runs::RunRecord;
    use super::super::testing::{Fixture, START, fields, fixtures};
    use super::super::timestamp;
    use super::*;

    const MINUTE: u64 = 60_000;

    fn every(schedule: &str) -> CronCreate {
        CronCreate { schedule: schedule.to_owned(), ..CronCreate::default() }
    }

    #[tokio::test]
    async fn a_cron_is_made_changed_and_deleted() {
        for Fixture { records, clock, .. } in fixtures() {
            let thread = Uuid::now_v7();
            let create = CronCreate {
                thread_id: Some(thread),
                timezone: Some("Europe/Berlin".to_owned()),
                end_time: Some("2026-06-30T00:00:00Z".to_owned()),
                payload: fields(json!({"input": {"topic": "x"}, "webhook": null})),
                metadata: Some(fields(json!({"a": 1}))),
                user_id: Some("ada".to_owned()),
                on_run_completed: Some(Completion::Keep),
                ..every("0 9 * * *")
            };
            let cron = records.crons.create(create).await.unwrap();
            let id = cron.cron_id;
            let mut expected = json!({
                "cron_id": id, "assistant_id": Uuid::nil(), "thread_id": thread, "on_run_completed": "keep",
                "end_time": "2026-06-30T00:00:00.000000+00:00", "schedule": "0 9 * * *", "timezone": "Europe/Berlin",
                "created_at": "2026-05-28T20:26:40.000000+00:00", "updated_at": "2026-05-28T20:26:40.000000+00:00",
                "payload": {"input": {"topic": "x"}, "webhook": null}, "user_id": "ada",
                "next_run_date": "2026-05-29T07:00:00.000000+00:00", "metadata": {"a": 1}, "enabled": true,
            });
            assert_eq!(records.crons.get(id).await.unwrap().wire(), expected);

            clock.advance(1_000);
            let patch = CronPatch {
                timezone: Some("UTC".to_owned()),
                payload: fields(json!({"input": {"topic": "y"}})),
                metadata: Some(fields(json!({"b": 2}))),
                ..CronPatch::default()
            };
            expected["timezone"] = json!("UTC");
            expected["payload"]["input"]["topic"] = json!("y");
            expected["metadata"]["b"] = json!(2);
            expected["next_run_date"] = json!("2026-05-29T09:00:00.000000+00:00");
            expected["updated_at"] = json!("2026-05-28T20:26:41.000000+00:00");
            assert_eq!(records.crons.patch(id, &patch).await.unwrap().wire(), expected);

            let bad = CronPatch { schedule: Some("0 0 30 2 *".to_owned()), ..CronPatch::default() };
            let error = records.crons.patch(id, &bad).await.unwrap_err();
            assert!(matches!(error, RecordError::BadRequest(_)));
            assert_eq!(error.to_string(), "`schedule` is `0 0 30 2 *`, which names a time that never comes");
            let bad = CronCreate { end_time: Some("soon".to_owned()), ..every("* * * * *") };
            assert!(matches!(records.crons.create(bad).await, Err(RecordError::BadRequest(_))));
            assert_eq!(records.crons.get(id).await.unwrap().wire(), expected);

            records.crons.delete(id).await.unwrap();
            assert!(matches!(records.crons.delete(id).await, Err(RecordError::NotFound { what: "Cron", .. })));
            assert!(matches!(records.crons.get(id).await, Err(RecordError::NotFound { .. })));
        }
    }

    #[tokio::test]
    async fn a_due_cron_starts_its_run_once() {
        for Fixture { records, clock, .. } in fixtures() {
            let start = async |cron: &Cron, now: u64| {
                let run = RunRecord {
                    run_id: cron.next_run_id().unwrap(),
                    ..RunRecord::new(Uuid::nil(), cron.assistant_id, "g", now)
                };
                let put = records.runs.insert(&run).await.is_ok();
                (put, records.crons.advance(cron, now).await.unwrap())
            };
            let cron = records.crons.create(every("*/5 * * * *")).await.unwrap();
            let off = CronCreate { enabled: Some(false), ..every("* * * * *") };
            records.crons.create(off).await.unwrap();
            let first = cron.next_run_date.unwrap();
            assert_eq!(records.crons.due(first - 1).await.unwrap(), []);
            let due = records.crons.due(first).await.unwrap();
            assert_eq!(due, std::slice::from_ref(&cron));
            assert_eq!(due[0].next_run_id().unwrap().get_version_num(), 7);
            assert_eq!(start(&due[0], first).await, (true, true));
            // Another process saw it due as well, or this one after a crash.
            assert_eq!(start(&due[0], first).await, (false, false));
            assert_eq!(records.crons.due(first + 5 * MINUTE - 1).await.unwrap(), []);

            // The server was away for an hour: one run, then the next by the calendar.
            let late = first + 62 * MINUTE;
            let due = records.crons.due(late).await.unwrap();
            assert_eq!(start(&due[0], late).await, (true, true));
            assert_eq!(records.crons.get(cron.cron_id).await.unwrap().next_run_date, Some(first + 65 * MINUTE));
            assert_eq!(records.runs.of_thread(Uuid::nil()).await.unwrap().len(), 2);

            clock.advance(late - START);
            let end = timestamp(late + 4 * MINUTE);
            let ends = CronPatch { end_time: Some(end), ..CronPatch::default() };
            let ended = records.crons.patch(cron.cron_id, &ends).await.unwrap();
            let last = ended.next_run_date.unwrap();
            assert!(records.crons.advance(&ended, last).await.unwrap());
            assert_eq!(records.crons.get(cron.cron_id).await.unwrap().next_run_date, None);
            assert_eq!(records.crons.due(last + 60 * MINUTE).await.unwrap(), []);
            records.crons.delete(cron.cron_id).await.unwrap();
            assert!(!records.crons.advance(&ended, last).await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_cron_that_is_switched_on_does_not_run_for_the_past() {
        for Fixture { records, clock, .. } in fixtures() {
            let off = CronCreate { enabled: Some(false), ..every("* * * * *") };
            let cron = records.crons.create(off).await.unwrap();
            clock.advance(10 * MINUTE);
            let now = START + 10 * MINUTE;
            assert_eq!(records.crons.due(now).await.unwrap(), []);
            let on = CronPatch { enabled: Some(true), ..CronPatch::default() };
            let on = records.crons.patch(cron.cron_id, &on).await.unwrap();
            assert!(on.next_run_date.unwrap() > now);
            assert_eq!(records.crons.due(now).await.unwrap(), []);
            assert_eq!(records.crons.due(on.next_run_date.unwrap()).await.unwrap().len(), 1);
        }
    }

    #[tokio::test]
    async fn crons_are_found() {
        for Fixture { records, clock, .. } in fixtures() {
            let (assistant, thread) = (Uuid::new_v4(), Uuid::now_v7());
            for n in 0..3 {
                let create = CronCreate {
                    assistant_id: if n == 0 { Uuid::nil() } else { assistant },
                    thread_id: (n == 1).then_some(thread),
                    enabled: Some(n != 2),
                    metadata: Some(fields(json!({"n": n}))),
                    ..every(["0 3 * * *", "0 1 * * *", "0 2 * * *"][n])
                };
                records.crons.create(create).await.unwrap();
                clock.advance(1);
            }
            let cases = [
                (json!({}), vec![2, 1, 0]),
                (json!({"assistant_id": assistant}), vec![2, 1]),
                (json!({"thread_id": thread}), vec![1]),
                (json!({"enabled": true}), vec![1, 0]),
                (json!({"metadata": {"n": 0}}), vec![0]),
                (json!({"sort_by": "next_run_date", "sort_order": "asc"}), vec![1, 2, 0]),
                (json!({"limit": 1, "offset": 1}), vec![1]),
            ];
            for (search, expected) in cases {
                let parsed: CronSearch = serde_json::from_value(search.clone()).unwrap();
                let found = records.crons.search(&parsed).await.unwrap();
                let numbers: Vec<_> = found.items.iter().map(|wire| wire["metadata"]["n"].as_u64().unwrap()).collect();
                assert_eq!(numbers, expected, "{search}");
                assert_eq!(records.crons.count(&parsed).await.unwrap(), found.total, "{search}");
            }
            let unknown = CronSearch { sort_by: Some("schedule".to_owned()), ..CronSearch::default() };
            let error = records.crons.search(&unknown).await.unwrap_err().to_string();
            assert!(error.starts_with("`sort_by` names `schedule`, it can name `cron_id`, `assistant_id`"), "{error}");
        }
    }
}
