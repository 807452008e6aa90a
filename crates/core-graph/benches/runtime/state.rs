//! Fields of a state while a snapshot of it is held: what a change copies.

use divan::{Bencher, black_box};
use graphloom_core_graph::{Log, Table};

const SIZES: [u64; 2] = [100, 10_000];

#[divan::bench(args = SIZES)]
fn push_on_a_vec(bencher: Bencher<'_, '_>, size: u64) {
    let held: Vec<u64> = (0..size).collect();
    bencher.bench_local(|| {
        let mut entries = black_box(&held).clone();
        entries.push(size);
        entries
    });
}

#[divan::bench(args = SIZES)]
fn push_on_a_log(bencher: Bencher<'_, '_>, size: u64) {
    let held: Log<u64> = (0..size).collect();
    bencher.bench_local(|| {
        let mut entries = black_box(&held).clone();
        entries.push(size);
        entries
    });
}

#[divan::bench(args = SIZES)]
fn insert_into_a_table(bencher: Bencher<'_, '_>, size: u64) {
    let held: Table<u64, u64> = (0..size).map(|key| (key, key)).collect();
    bencher.bench_local(|| {
        let mut entries = black_box(&held).clone();
        entries.insert(size / 2, 0);
        entries
    });
}
