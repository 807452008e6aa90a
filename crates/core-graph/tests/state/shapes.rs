//! States of every shape.

use super::*;

macro_rules! wide {
    ($($field:ident)+) => {
        /// More fields than a machine word has bits.
        #[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        struct Wide {
            $(#[state(add)] $field: u8,)+
        }

        /// Adds the place of each field to it.
        fn count_up() -> WideUpdate {
            let (mut place, mut update) = (0, Wide::update());
            $(
                update = update.$field(place);
                place += 1;
            )+
            assert_eq!(usize::from(place), Wide::fields(&()).len());
            update
        }
    };
}

wide! {
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
    e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 h0 h1 h2 h3 h4 h5 h6 h7 h8 h9
}

#[test]
fn a_state_has_any_number_of_fields() {
    let mut wide = Wide::default();
    let changed = fold(&mut wide, transported::<Wide>(&count_up()));
    assert_eq!((changed.len(), changed[79].as_str(), wide.h9, wide.a1), (80, "h9", 79, 1));
    assert_eq!(fold(&mut wide, Wide::update().g4(1)), ["g4"]);
    let mut copy = Wide::default();
    for field in 0..80 {
        copy.load(&(), field, &wide.save(&(), field).unwrap()).unwrap();
    }
    assert_eq!(copy, wide);
}

#[test]
fn a_state_may_have_no_fields() {
    #[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
    struct Empty {}
    assert!(fold(&mut Empty::default(), Empty::update()).is_empty());
    assert!(Empty::default().save(&(), 0).is_err());
}

#[test]
fn names_may_be_keywords_and_the_core_crate_may_be_elsewhere() {
    mod facade {
        pub(super) use graphloom_core_graph as core_graph;
    }
    #[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
    #[state(crate = facade::core_graph)]
    struct Odd {
        r#type: String,
        #[state(append)]
        r#loop: Log<u8>,
        update: bool,
        clone: f32,
    }
    let mut odd = Odd::default();
    let update = Odd::update().r#type("x").r#loop([1]).replace_loop([2]).update(true).clone(1.5);
    assert_eq!(fold(&mut odd, update), ["type", "loop", "update", "clone"]);
    assert_eq!((odd.r#type.as_str(), odd.r#loop, odd.update, odd.clone), ("x", [2].into(), true, 1.5));
}

#[test]
fn a_state_may_be_generic() {
    #[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Queue<T, const ROUNDS: u8>
    where
        T: Ord,
    {
        #[state(append)]
        items: Log<T>,
        best: Option<T>,
    }
    fn offer<T: State + Ord>(_: T) {}
    fn run<T>(items: Vec<T>) -> Queue<T, 2>
    where
        T: Clone + Default + Ord + Send + Sync + Serialize + DeserializeOwned + JsonSchema + 'static,
    {
        let mut queue = Queue::default();
        fold(&mut queue, transported::<Queue<T, 2>>(&Queue::update().best(items.iter().max().cloned()).items(items)));
        queue
    }
    let _ = offer::<Never>;
    assert_eq!(run(vec![1, 3, 2]), Queue { items: [1, 3, 2].into(), best: Some(3) });
}

#[derive(State, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
struct Never {
    nothing: bool,
}

#[test]
fn a_log_may_fold_otherwise_and_be_replaced_on_purpose() {
    mod of_another_crate {
        use super::*;

        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub(super) struct Log(pub(super) String);
    }

    fn longer(held: &mut Log<u8>, other: Log<u8>) {
        if other.len() > held.len() {
            *held = other;
        }
    }

    #[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Lists<T> {
        #[state(reduce_with = longer)]
        longest: Log<u8>,
        #[state(any)]
        newest: Log<T>,
        #[state(reduce_with = Extend::extend, update = Vec<(u8, T)>)]
        parts: Table<u8, T>,
        maybe: Option<Log<T>>,
        other: of_another_crate::Log,
    }

    let mut lists = Lists::<u64>::default();
    for entries in [vec![1], vec![1, 2, 3], vec![4, 5]] {
        let newest: Log<u64> = entries.iter().map(|entry| u64::from(*entry)).collect();
        let update = Lists::update().newest(newest.clone()).maybe(newest).longest(entries.into_iter().collect());
        fold(&mut lists, update.parts(vec![(1, 7)]).other(of_another_crate::Log("a text".to_owned())));
    }
    assert_eq!((lists.longest, lists.newest, lists.maybe), ([1, 2, 3].into(), [4, 5].into(), Some([4, 5].into())));
    assert_eq!((lists.parts.len(), lists.other.0.as_str()), (1, "a text"));
}
