//! Two thousand simulated schedules. More of them, and one alone: the program `simulate`, which runs ten thousand in CI.

use std::thread;

use graphloom_behaviour::schedules;

const SCHEDULES: u64 = 2_000;
const THREADS: u64 = 4;

#[test]
fn two_thousand_schedules_break_no_promise() {
    let share = |from: u64| {
        let (mut wrong, mut crashes, mut refusals) = (Vec::new(), 0, 0);
        for seed in (from..SCHEDULES).step_by(THREADS as usize) {
            match schedules::run(seed) {
                Ok(summary) => {
                    crashes += summary.crashes;
                    refusals += summary.refusals;
                }
                Err(error) => wrong.push(format!("seed {seed}: {error}")),
            }
        }
        (wrong, crashes, refusals)
    };
    let shares: Vec<_> = (0..THREADS).map(|from| thread::spawn(move || share(from))).collect();
    let (mut wrong, mut crashes, mut refusals) = (Vec::new(), 0, 0);
    for share in shares {
        let share = share.join().expect("a schedule does not panic");
        wrong.extend(share.0);
        crashes += share.1;
        refusals += share.2;
    }
    assert!(wrong.is_empty(), "run `simulate --seed N` for each:\n{}", wrong.join("\n"));
    assert!(crashes > SCHEDULES && refusals > SCHEDULES / 2, "{crashes} deaths and {refusals} refused calls");
}

#[test]
fn a_seed_is_one_schedule() {
    for seed in 0..20 {
        let [one, other] = [0, 1].map(|_| schedules::Schedule::new(seed).run().expect("no promise is broken"));
        assert_eq!((one.started, one.steps, one.crashes), (other.started, other.steps, other.crashes), "seed {seed}");
    }
}
