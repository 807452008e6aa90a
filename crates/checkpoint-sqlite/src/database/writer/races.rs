//! Callers, the thread and the end of a writer against each other, on a real connection.

use futures::FutureExt;
use graphloom_core_graph::__private::explore;
use shuttle::future::block_on;

use super::*;
use crate::failure::Refusal;

fn writer(apart: bool) -> Arc<Writer> {
    let connection = Connection::open_in_memory().unwrap();
    // In the order in which they were written.
    connection.execute_batch("CREATE TABLE t (at INTEGER PRIMARY KEY, n INTEGER UNIQUE)").unwrap();
    Arc::new(Writer::new(connection, apart, None).unwrap())
}

/// Writes a number, or is refused after it has.
fn insert(number: u64, refused: bool) -> Work {
    Box::new(move |connection| {
        connection.prepare_cached("INSERT INTO t (n) VALUES (?1)")?.execute([number])?;
        if refused {
            return Err(Refusal::UnknownThread { thread: number.to_string() }.into());
        }
        Ok(())
    })
}

fn numbers(connection: &Connection) -> Vec<u64> {
    let mut statement = connection.prepare_cached("SELECT n FROM t ORDER BY at").unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Each of these numbers is there once, and those of one caller, which agree in their tens, are in their order.
fn check(writer: &Writer, mut expected: Vec<u64>) {
    let numbers = numbers(&lock(&writer.shared.connection));
    for caller in 0..3 {
        let own = numbers.iter().filter(|number| **number / 10 == caller);
        assert!(own.is_sorted(), "out of order: {numbers:?}");
    }
    let mut sorted = numbers;
    sorted.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
}

/// The third of a caller's pieces is refused.
fn write_three(writer: &Writer, caller: u64) {
    for at in 0..3 {
        let number = 10 * caller + at;
        let answer = block_on(writer.write(insert(number, at == 2)));
        match answer {
            Ok(()) => assert!(at != 2, "{number} is to be refused"),
            Err(Failure::Refused(Refusal::UnknownThread { thread })) => assert_eq!(thread, number.to_string()),
            Err(other) => panic!("{number}: {other:?}"),
        }
    }
}

#[test]
fn each_piece_is_done_once_and_its_caller_has_its_answer() {
    for apart in [false, true] {
        explore(400, move || {
            let writer = writer(apart);
            let callers: Vec<_> = (0..3)
                .map(|caller| {
                    let writer = Arc::clone(&writer);
                    thread::spawn(move || write_three(&writer, caller))
                })
                .collect();
            callers.into_iter().for_each(|caller| caller.join().unwrap());
            check(&writer, vec![0, 1, 10, 11, 20, 21]);
        });
    }
}

#[test]
fn what_runs_alone_sees_all_that_was_queued_before_it() {
    for apart in [false, true] {
        explore(400, move || {
            let writer = writer(apart);
            let other = thread::spawn({
                let writer = Arc::clone(&writer);
                move || write_three(&writer, 1)
            });
            let mut first = Box::pin(writer.write(insert(0, false)));
            let done = (&mut first).now_or_never();
            let seen = block_on(writer.alone(|connection| Ok(numbers(connection)))).unwrap();
            assert!(seen.contains(&0), "{seen:?}");
            done.unwrap_or_else(|| block_on(first)).unwrap();
            other.join().unwrap();
            check(&writer, vec![0, 10, 11]);
        });
    }
}

#[test]
fn who_goes_away_leaves_the_others_their_answers() {
    for apart in [false, true] {
        explore(400, move || {
            let writer = writer(apart);
            let other = thread::spawn({
                let writer = Arc::clone(&writer);
                move || write_three(&writer, 1)
            });
            // Polled once: it is done or queued, and nobody waits for it.
            let _ = writer.write(insert(0, false)).now_or_never();
            other.join().unwrap();
            block_on(writer.write(insert(20, false))).unwrap();
            check(&writer, vec![0, 10, 11, 20]);
        });
    }
}

#[test]
fn what_is_left_for_later_is_done_before_the_writer_ends() {
    for apart in [false, true] {
        explore(400, move || {
            let writer = writer(apart);
            let shared = Arc::clone(&writer.shared);
            let other = thread::spawn({
                let writer = Arc::clone(&writer);
                move || {
                    writer.write_later(insert(10, false));
                    block_on(writer.write(insert(11, false))).unwrap();
                    writer.write_later(insert(12, false));
                }
            });
            writer.write_later(insert(0, false));
            drop(writer);
            other.join().unwrap();
            assert_eq!(numbers(&lock(&shared.connection)).len(), 4);
            assert!(shared.is_idle(), "nothing is left");
        });
    }
}
