use std::sync::mpsc;

use super::*;
use crate::failure::Refusal;

fn writer(apart: bool) -> Writer {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t (n INTEGER PRIMARY KEY, bytes BLOB)").unwrap();
    Writer::new(connection, apart, None).unwrap()
}

fn insert(number: u64) -> Work {
    Box::new(move |connection| {
        connection.prepare_cached("INSERT INTO t (n) VALUES (?1)")?.execute([number])?;
        Ok(())
    })
}

fn refused_after_inserting(number: u64) -> Work {
    let mut work = insert(number);
    Box::new(move |connection| {
        work(connection)?;
        Err(Refusal::UnknownThread { thread: "x".to_owned() }.into())
    })
}

fn numbers(writer: &Writer) -> Vec<u64> {
    let connection = lock(&writer.shared.connection);
    let mut statement = connection.prepare("SELECT n FROM t ORDER BY n").unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn a_refused_piece_is_undone_alone() {
    let writer = writer(false);
    let first = writer.queue_only(insert(1));
    let refused = writer.queue_only(refused_after_inserting(2));
    let third = writer.queue_only(insert(3));
    let doubled = writer.queue_only(insert(1));
    writer.serve_waiting();
    let answers = futures::executor::block_on(async { (first.await, refused.await, third.await, doubled.await) });
    assert!(matches!(answers.0, Ok(Ok(()))));
    assert!(matches!(answers.1, Ok(Err(Failure::Refused(Refusal::UnknownThread { .. })))));
    assert!(matches!(answers.2, Ok(Ok(()))));
    assert!(matches!(answers.3, Ok(Err(Failure::Sqlite(_)))));
    assert_eq!(numbers(&writer), [1, 3]);
}

#[test]
fn a_group_whose_transaction_is_lost_is_done_one_by_one() {
    let writer = writer(false);
    let first = writer.queue_only(insert(1));
    // What SQLite does by itself on some errors: the whole transaction is gone.
    let spoiler = writer.queue_only(Box::new(|connection| {
        connection.execute_batch("ROLLBACK")?;
        Err(Refusal::UnknownThread { thread: "x".to_owned() }.into())
    }));
    let third = writer.queue_only(insert(3));
    writer.serve_waiting();
    let answers = futures::executor::block_on(async { (first.await, spoiler.await, third.await) });
    assert!(matches!(answers, (Ok(Ok(())), Ok(Err(_)), Ok(Ok(())))), "{answers:?}");
    assert_eq!(numbers(&writer), [1, 3]);
}

#[test]
fn pieces_before_and_after_a_refused_one_share_transactions() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("d.db");
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.execute_batch("CREATE TABLE t (n INTEGER PRIMARY KEY)").unwrap();
    let writer = Writer::new(connection, false, None).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut answers = Vec::new();
    for number in 0..6 {
        let mut work = if number == 3 { refused_after_inserting(number) } else { insert(number) };
        let (seen, other) = (Arc::clone(&seen), Connection::open(&file).unwrap());
        answers.push(writer.queue_only(Box::new(move |connection| {
            let committed: u64 = other.query_row("SELECT count(*) FROM t", [], |row| row.get(0))?;
            lock(&seen).push((number, committed));
            work(connection)
        })));
    }
    writer.serve_waiting();
    let answers = futures::executor::block_on(futures::future::join_all(answers));
    let refused: Vec<_> = answers.iter().map(|answer| matches!(answer, Ok(Err(_)))).collect();
    assert_eq!(refused, [false, false, false, true, false, false]);
    assert_eq!(numbers(&writer), [0, 1, 2, 4, 5]);
    // All together; then those before it again, it alone, and those after it.
    let runs = [(0, 0), (1, 0), (2, 0), (3, 0), (0, 0), (1, 0), (2, 0), (3, 3), (4, 3), (5, 3)];
    assert_eq!(*lock(&seen), runs);
}

/// Has a piece of work under way on another thread, queues another meanwhile, and lets the first end.
fn queue_meanwhile(writer: &Writer, ends: fn()) -> Result<(), Failure> {
    let ((begun, has_begun), (end, may_end)) = (mpsc::channel(), mpsc::channel());
    std::thread::scope(|scope| {
        let first = scope.spawn(move || {
            let work = Box::new(move |_: &Connection| {
                begun.send(()).unwrap();
                may_end.recv().unwrap();
                ends();
                Ok(())
            });
            futures::executor::block_on(writer.write(work))
        });
        has_begun.recv().unwrap();
        let mut second = std::pin::pin!(writer.write(insert(2)));
        // It waits without keeping this thread.
        assert!(futures::FutureExt::now_or_never(&mut second).is_none());
        end.send(()).unwrap();
        let second = futures::executor::block_on(second);
        let _ = first.join();
        second
    })
}

#[test]
fn who_has_the_connection_does_what_is_queued_meanwhile() {
    let writer = writer(false);
    queue_meanwhile(&writer, || {}).unwrap();
    assert!(lock(&writer.thread).is_none(), "no thread was needed");
    assert_eq!(numbers(&writer), [2]);
}

#[test]
fn what_waits_for_a_panic_is_done() {
    let writer = writer(false);
    queue_meanwhile(&writer, || panic!("broken work")).unwrap();
    assert_eq!(numbers(&writer), [2]);
}

#[test]
fn the_order_of_the_queue_is_kept() {
    for apart in [false, true] {
        let writer = writer(apart);
        let written = writer.queue_only(insert(1));
        let count = writer
            .alone(|connection| Ok(connection.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, u64>(0))?));
        assert_eq!(futures::executor::block_on(count).unwrap(), 1);
        assert!(matches!(futures::executor::block_on(written), Ok(Ok(()))));
    }
}

#[test]
fn what_is_left_for_later_is_done_before_the_writer_ends() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("d.db");
    let connection = Connection::open(&file).unwrap();
    connection.execute_batch("CREATE TABLE t (n INTEGER PRIMARY KEY)").unwrap();
    let writer = Writer::new(connection, true, None).unwrap();
    writer.write_later(insert(7));
    drop(writer);
    let count: u64 =
        Connection::open(&file).unwrap().query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
}

#[test]
fn a_panic_reaches_its_caller_only() {
    let writer = writer(true);
    let panicking = writer.write(Box::new(|_| panic!("broken work")));
    assert!(futures::executor::block_on(panicking).is_err());
    futures::executor::block_on(writer.write(insert(1))).unwrap();
    assert_eq!(numbers(&writer), [1]);
}
