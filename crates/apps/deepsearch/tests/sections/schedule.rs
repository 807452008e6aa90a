//! Schedules of the dependency-driven team in virtual time, on shapes of dependencies made by hand. The gold
//! decompositions of a question set go through the same code in the example `fanout_schedules`.

use graphloom_deepsearch::config::TeamOrder;
use graphloom_deepsearch::team::Work;

use super::virtual_team::{Task, Times, critical_path, makespan, sequential};

fn tasks(shape: &[(&str, &str)], mut time: impl FnMut() -> (u64, u64)) -> Vec<Task> {
    let one = |(id, parents): &(&str, &str)| {
        let (reason, write) = time();
        Task { id: (*id).into(), parents: parents.split_whitespace().map(str::to_owned).collect(), reason, write }
    };
    shape.iter().map(one).collect()
}

const SHAPES: [(&str, &[(&str, &str)]); 7] = [
    ("one", &[("1", "")]),
    ("alone", &[("1", ""), ("2", ""), ("3", ""), ("4", "")]),
    ("chain", &[("1", ""), ("2", "1"), ("3", "2"), ("4", "3"), ("5", "4")]),
    ("diamond", &[("1", ""), ("2", "1"), ("3", "1"), ("4", "2 3")]),
    ("fan", &[("1", ""), ("2", "1"), ("3", "1"), ("4", "1"), ("5", "1"), ("6", "1"), ("7", "2 3 4 5 6")]),
    ("two chains", &[("1", ""), ("2", ""), ("3", "1"), ("4", "2"), ("5", "3"), ("6", "4"), ("7", "5 6")]),
    ("ladder", &[("1", ""), ("2", "1"), ("3", "1"), ("4", "2"), ("5", "2 3"), ("6", "4 5"), ("7", "3")]),
];

#[tokio::test(start_paused = true)]
async fn the_dataflow_order_takes_as_long_as_its_longest_way() {
    let mut gained = 0;
    for (name, shape) in SHAPES {
        for seed in 0..4 {
            let mut times = Times::new(seed);
            let tasks = tasks(shape, || (times.next(60_000.0), times.next(20_000.0)));
            let (longest, all) = (critical_path(&tasks), sequential(&tasks));
            let (dataflow, trace, order) = makespan(&tasks, TeamOrder::Dataflow, 100).await;
            let (layered, _, same) = makespan(&tasks, TeamOrder::Layered, 100).await;
            assert!(dataflow as f64 <= longest as f64 * 1.05, "{name} {seed}: {dataflow} ms, at best {longest} ms");
            assert!(longest <= dataflow && dataflow <= layered && layered <= all, "{name} {seed}");
            gained += u32::from(dataflow < layered);
            let ids: Vec<_> = tasks.iter().map(|task| task.id.clone()).collect();
            assert_eq!((&order, &same), (&ids, &ids), "{name}: the outline's order, whatever ended first");
            for task in &tasks {
                let ended =
                    |work, id: &str| trace.iter().find(|(job, ..)| job.work == work && job.section == id).unwrap().2;
                let began = |work| trace.iter().find(|(job, ..)| job.work == work && job.section == task.id).unwrap().1;
                assert!(began(Work::Write) >= ended(Work::Reason, &task.id));
                for parent in &task.parents {
                    assert!(began(Work::Reason) >= ended(Work::Reason, parent));
                    assert!(began(Work::Write) >= ended(Work::Write, parent));
                }
            }
        }
    }
    assert!(gained > 5, "the barrier costs time in {gained} of 28 runs");
}

#[tokio::test(start_paused = true)]
async fn the_layered_order_writes_one_layer_beside_research_for_the_next() {
    // Section 3 is slow, so layer 2 waits for it although 4 needs only 2.
    let mut tasks = tasks(&[("1", ""), ("2", "1"), ("3", "1"), ("4", "2")], || (10_000, 4_000));
    tasks[2].reason = 30_000;
    let shown = |trace: Vec<(graphloom_deepsearch::team::Job, u64, u64)>| -> Vec<String> {
        let word = |work| if work == Work::Reason { "reason" } else { "write" };
        let one = |(job, began, ended): &(graphloom_deepsearch::team::Job, u64, u64)| {
            format!("{} {} {}-{}", word(job.work), job.section, began / 1000, ended / 1000)
        };
        trace.iter().map(one).collect()
    };
    let (took, trace, _) = makespan(&tasks, TeamOrder::Layered, 100).await;
    assert_eq!(
        shown(trace),
        [
            "reason 1 0-10",
            "reason 2 10-20",
            "reason 3 10-40",
            "write 1 10-14",
            "reason 4 40-50",
            "write 2 40-44",
            "write 3 40-44",
            "write 4 50-54",
        ]
    );
    assert_eq!(took, 54_000);
    let (took, trace, _) = makespan(&tasks, TeamOrder::Dataflow, 100).await;
    assert_eq!(
        shown(trace),
        [
            "reason 1 0-10",
            "reason 2 10-20",
            "reason 3 10-40",
            "write 1 10-14",
            "reason 4 20-30",
            "write 2 20-24",
            "write 4 30-34",
            "write 3 40-44",
        ]
    );
    assert_eq!((took, critical_path(&tasks)), (44_000, 44_000));
}

#[tokio::test(start_paused = true)]
async fn a_limit_holds_in_both_orders() {
    for (_, shape) in SHAPES {
        let mut times = Times::new(7);
        let tasks = tasks(shape, || (times.next(60_000.0), times.next(20_000.0)));
        for order in [TeamOrder::Layered, TeamOrder::Dataflow] {
            for limit in [1, 2] {
                let (took, trace, _) = makespan(&tasks, order, limit).await;
                for (_, began, _) in &trace {
                    let running = trace.iter().filter(|(_, from, to)| from <= began && began < to).count();
                    assert!(running <= limit as usize, "{order:?} {limit}");
                }
                if limit == 1 {
                    assert_eq!(took, sequential(&tasks), "{order:?}");
                }
            }
        }
    }
}
