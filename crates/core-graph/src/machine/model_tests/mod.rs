//! The machine against a small obvious model: random graphs, random completion orders, retries, failures, questions.

mod drawn;
mod model;
mod play;

use proptest::prelude::*;

use self::drawn::{compile, drawn};
use self::play::play;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_global_rejects: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn the_machine_does_what_the_model_says(
        drawn in drawn(),
        concurrency in 1..5usize,
        durable in any::<bool>(),
        choices in prop::collection::vec(any::<u32>(), 0..160),
    ) {
        play(&drawn, concurrency, durable, choices.into_iter());
    }
}

#[test]
fn the_fast_path_of_single_tasks_is_taken() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut singles = |durable: bool| -> usize {
        let graphs = (0..300).map(|_| drawn().new_tree(&mut runner).unwrap().current());
        graphs.map(|drawn| play(&drawn, 2, durable, (7..).step_by(13).take(100))).sum()
    };
    for durable in [false, true] {
        let taken = singles(durable);
        assert!(taken > 100, "{taken} steps");
    }
}

#[test]
fn enough_of_the_drawn_graphs_compile() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let compiled = (0..500).filter(|_| compile(&drawn().new_tree(&mut runner).unwrap().current()).is_some()).count();
    assert!(compiled > 450, "{compiled} of 500");
}
