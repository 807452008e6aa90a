//! What crons do, over each store.

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
        let another = Cron { cron_id: Uuid::now_v7(), ..due[0].clone() };
        assert_ne!(due[0].next_run_id(), another.next_run_id());
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
