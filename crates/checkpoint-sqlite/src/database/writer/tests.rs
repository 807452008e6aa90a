use super::*;
use crate::failure::Refusal;

fn writer(synchronous: Synchronous) -> Writer {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t (n INTEGER PRIMARY KEY, bytes BLOB)").unwrap();
    Writer::new(connection, synchronous).unwrap()
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
    let writer = writer(Synchronous::Normal);
    let first = writer.queue_only(insert(1));
    let refused = writer.queue_only(refused_after_inserting(2));
    let third = writer.queue_only(insert(3));
    let doubled = writer.queue_only(insert(1));
    writer.shared.serve();
    let answers = futures::executor::block_on(async { (first.await, refused.await, third.await, doubled.await) });
    assert!(matches!(answers.0, Ok(Ok(()))));
    assert!(matches!(answers.1, Ok(Err(Failure::Refused(Refusal::UnknownThread { .. })))));
    assert!(matches!(answers.2, Ok(Ok(()))));
    assert!(matches!(answers.3, Ok(Err(Failure::Sqlite(_)))));
    assert_eq!(numbers(&writer), [1, 3]);
}

#[test]
fn a_group_whose_transaction_is_lost_is_done_one_by_one() {
    let writer = writer(Synchronous::Normal);
    let first = writer.queue_only(insert(1));
    // What SQLite does by itself on some errors: the whole transaction is gone.
    let spoiler = writer.queue_only(Box::new(|connection| {
        connection.execute_batch("ROLLBACK")?;
        Err(Refusal::UnknownThread { thread: "x".to_owned() }.into())
    }));
    let third = writer.queue_only(insert(3));
    writer.shared.serve();
    let answers = futures::executor::block_on(async { (first.await, spoiler.await, third.await) });
    assert!(matches!(answers, (Ok(Ok(())), Ok(Err(_)), Ok(Ok(())))), "{answers:?}");
    assert_eq!(numbers(&writer), [1, 3]);
}

#[test]
fn the_order_of_the_queue_is_kept() {
    for synchronous in [Synchronous::Normal, Synchronous::Full] {
        let writer = writer(synchronous);
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
    let writer = Writer::new(connection, Synchronous::Full).unwrap();
    writer.write_later(insert(7));
    drop(writer);
    let count: u64 =
        Connection::open(&file).unwrap().query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
}

#[test]
fn a_panic_reaches_its_caller_only() {
    let writer = writer(Synchronous::Full);
    let panicking = writer.write(Box::new(|_| panic!("broken work")));
    assert!(futures::executor::block_on(panicking).is_err());
    futures::executor::block_on(writer.write(insert(1))).unwrap();
    assert_eq!(numbers(&writer), [1]);
}
