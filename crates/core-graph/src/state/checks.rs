//! What the derive asks of a field's type and of a reducer, so that the compiler says what to write. Used by the derive;
//! not for direct use.

use std::convert::Infallible;
use std::marker::PhantomData;

use crate::state::{Log, Table};

/// Looks at the type of a field whose last value stays. The compiler takes the constants of [`Probe`] itself where the
/// field is a [`Log`] or a [`Table`], under whatever name, and those of [`OtherField`] for any other type.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<T>);

/// A field that may be replaced by the last write.
#[derive(Clone, Copy, Debug)]
pub struct Fine;

/// A list that the last write would replace.
#[derive(Clone, Copy, Debug)]
pub struct LogWithoutAppend;

/// A table that the last write would replace.
#[derive(Clone, Copy, Debug)]
pub struct TableWithoutMerge;

impl<T> Probe<Log<T>> {
    /// The field is a list.
    pub const LOG: LogWithoutAppend = LogWithoutAppend;
}

impl<K: Ord, V> Probe<Table<K, V>> {
    /// The field is a table.
    pub const TABLE: TableWithoutMerge = TableWithoutMerge;
}

/// The answer for any type that [`Probe`] itself has none for.
pub trait OtherField {
    /// The field is no list.
    const LOG: Fine = Fine;
    /// The field is no table.
    const TABLE: Fine = Fine;
}

impl<T> OtherField for Probe<T> {}

/// What [`Probe`] says of a field that is no list without a reducer.
#[diagnostic::on_unimplemented(
    message = "a `Log` without `#[state(append)]` keeps only what was written last",
    label = "write `#[state(append)]` above this field",
    note = "a fold of your own is `#[state(reduce_with = path)]`; a list that each write replaces as a whole is a `Vec<T>`, or a `Log<T>` with `#[state(any)]`"
)]
pub trait NoLogWithoutAppend {}

#[diagnostic::do_not_recommend]
impl NoLogWithoutAppend for Fine {}

/// What [`Probe`] says of a field that is no table without a reducer.
#[diagnostic::on_unimplemented(
    message = "a `Table` without `#[state(merge)]` keeps only what was written last",
    label = "write `#[state(merge)]` above this field",
    note = "a fold of your own is `#[state(reduce_with = path)]`; a table that each write replaces as a whole is a `BTreeMap<K, V>`, or a `Table<K, V>` with `#[state(any)]`"
)]
pub trait NoTableWithoutMerge {}

#[diagnostic::do_not_recommend]
impl NoTableWithoutMerge for Fine {}

/// Refuses a list whose last value would stay, and a table.
pub const fn last_value<L: NoLogWithoutAppend + Copy, T: NoTableWithoutMerge + Copy>(_: L, _: T) {}

/// A function that folds updates of type `U` into a field of type `T`.
///
/// `M` tells its two implementations apart. There are two so that the compiler names this trait where a function does not
/// fit; of a trait with one implementation it would name the bounds.
#[diagnostic::on_unimplemented(
    message = "this function does not fold a `{U}` into a `{T}`",
    label = "not a reducer of this field",
    note = "a reducer is `fn(&mut {T}, {U})`: it changes the value in place and returns nothing; where updates have another type than the field, write it as `update = Type`"
)]
pub trait Reducer<M, T, U> {
    /// Folds one update.
    fn fold(&self, held: &mut T, update: U, marker: M);
}

impl<T, U, F: Fn(&mut T, U)> Reducer<(), T, U> for F {
    #[inline]
    fn fold(&self, held: &mut T, update: U, (): ()) {
        self(held, update);
    }
}

impl<T, U, F: Fn(&mut T, U, Infallible)> Reducer<Infallible, T, U> for F {
    fn fold(&self, held: &mut T, update: U, never: Infallible) {
        self(held, update, never);
    }
}

/// Folds updates in their order.
#[inline]
pub fn fold<M: Default, T, U, F: Reducer<M, T, U>>(reduce: &F, held: &mut T, updates: Vec<U>) {
    for update in updates {
        reduce.fold(held, update, M::default());
    }
}
