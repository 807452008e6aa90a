//! Lists of records: order, pages and chosen fields.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::error::RecordError;

/// The most records that one answer lists.
pub(crate) const MAX_LIMIT: usize = 1_000;
/// How many records an answer lists unless asked.
const DEFAULT_LIMIT: usize = 10;

/// What creating a record does where there is one of its id.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IfExists {
    /// The request fails.
    #[default]
    Raise,
    /// The one that is there is answered.
    DoNothing,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Listing {
    /// The records in the form clients see.
    pub(crate) items: Vec<Value>,
    /// How many records match.
    pub(crate) total: usize,
    /// Where the next page begins, when there is one.
    pub(crate) next: Option<usize>,
}

/// How two records compare by a field.
pub(super) type Compare<T> = fn(&T, &T) -> Ordering;

/// A record that can be listed.
pub(super) trait Listed: 'static {
    /// The fields that lists can be sorted by.
    const SORTED_BY: &'static [(&'static str, Compare<Self>)];
    /// The fields that can be chosen.
    const FIELDS: &'static [&'static str];

    /// Its id: it orders records that are else equal.
    fn id(&self) -> Uuid;

    /// When it was made. Lists have the newest first unless asked.
    fn created(&self) -> u64;
}

/// What a request says about order, page and fields.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Paging<'r> {
    pub(super) limit: Option<usize>,
    pub(super) offset: Option<usize>,
    pub(super) sort_by: Option<&'r str>,
    pub(super) sort_order: Option<&'r str>,
    pub(super) select: Option<&'r [String]>,
}

/// Order, page and fields of a list, checked.
pub(super) struct Arrangement<'r, T> {
    limit: usize,
    offset: usize,
    compare: Compare<T>,
    ascending: bool,
    select: Option<&'r [String]>,
}

impl<'r, T: Listed> Arrangement<'r, T> {
    /// Checks what a request says.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] for a limit over [`MAX_LIMIT`], a field that does not exist or an unknown order.
    pub(super) fn new(paging: Paging<'r>) -> Result<Self, RecordError> {
        let limit = checked_limit(paging.limit)?;
        let ascending = match paging.sort_order.map(str::to_ascii_lowercase).as_deref() {
            None | Some("desc") => false,
            Some("asc") => true,
            Some(other) => {
                let message = format!("`sort_order` is `{other}`, it can be `asc` or `desc`");
                return Err(RecordError::BadRequest(message));
            }
        };
        let by_created: Compare<T> = |left, right| left.created().cmp(&right.created());
        let compare = match paging.sort_by {
            None => by_created,
            Some(field) => {
                let name = field.to_ascii_lowercase();
                let known = T::SORTED_BY.iter().find(|(known, _)| *known == name);
                let names = || T::SORTED_BY.iter().map(|(name, _)| *name);
                known.ok_or_else(|| unknown_field("sort_by", field, names()))?.1
            }
        };
        for field in paging.select.unwrap_or_default() {
            if !T::FIELDS.contains(&field.as_str()) {
                return Err(unknown_field("select", field, T::FIELDS.iter().copied()));
            }
        }
        Ok(Self { limit, offset: paging.offset.unwrap_or(0), compare, ascending, select: paging.select })
    }

    /// The page of the records, in order, each in the form clients see.
    pub(super) fn page(&self, mut records: Vec<T>, wire: impl Fn(&T) -> Value) -> Listing {
        records.sort_by(|left, right| {
            let order = (self.compare)(left, right).then_with(|| left.id().cmp(&right.id()));
            if self.ascending { order } else { order.reverse() }
        });
        let total = records.len();
        let end = self.offset.saturating_add(self.limit);
        let page = records.iter().skip(self.offset).take(self.limit);
        let items = page.map(|record| self.selected(wire(record))).collect();
        Listing { items, total, next: (end < total).then_some(end) }
    }

    /// The chosen fields of a record. What is no field of it, as values that were extracted, stays.
    fn selected(&self, mut wire: Value) -> Value {
        if let (Some(select), Value::Object(fields)) = (self.select.filter(|select| !select.is_empty()), &mut wire) {
            fields.retain(|name, _| select.contains(name) || !T::FIELDS.contains(&name.as_str()));
        }
        wire
    }
}

/// How many records an answer lists.
///
/// # Errors
/// [`RecordError::BadRequest`] for more than [`MAX_LIMIT`].
pub(super) fn checked_limit(limit: Option<usize>) -> Result<usize, RecordError> {
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    if limit > MAX_LIMIT {
        return Err(RecordError::BadRequest(format!("`limit` is {limit}, at most {MAX_LIMIT} are answered")));
    }
    Ok(limit)
}

fn unknown_field(of: &str, field: &str, known: impl Iterator<Item = &'static str>) -> RecordError {
    let known = known.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    RecordError::BadRequest(format!("`{of}` names `{field}`, it can name {known}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Note(u64, Uuid);

    impl Note {
        fn wire(&self) -> Value {
            json!({"number": self.0, "id": self.1, "extracted": {}})
        }
    }

    impl Listed for Note {
        const SORTED_BY: &'static [(&'static str, Compare<Self>)] =
            &[("number", |left, right| (left.0 % 10).cmp(&(right.0 % 10)))];
        const FIELDS: &'static [&'static str] = &["number", "id"];

        fn id(&self) -> Uuid {
            self.1
        }

        fn created(&self) -> u64 {
            self.0
        }
    }

    fn listed(paging: Paging<'_>) -> Result<(Vec<u64>, usize, Option<usize>), RecordError> {
        let notes = [3, 11, 2, 21, 1].map(|n| Note(n, Uuid::from_u128(n.into()))).into();
        let listing = Arrangement::new(paging)?.page(notes, Note::wire);
        let numbers = listing.items.iter().map(|item| item["number"].as_u64().unwrap()).collect();
        Ok((numbers, listing.total, listing.next))
    }

    #[test]
    fn lists_are_ordered_and_cut() {
        let newest = Paging::default();
        assert_eq!(listed(newest).unwrap(), (vec![21, 11, 3, 2, 1], 5, None));
        let by_number = Paging { sort_by: Some("NUMBER"), sort_order: Some("ASC"), ..newest };
        assert_eq!(listed(by_number).unwrap(), (vec![1, 11, 21, 2, 3], 5, None));
        let page = Paging { limit: Some(2), offset: Some(2), ..newest };
        assert_eq!(listed(page).unwrap(), (vec![3, 2], 5, Some(4)));
        let last = Paging { limit: Some(2), offset: Some(3), ..newest };
        assert_eq!(listed(last).unwrap(), (vec![2, 1], 5, None));
        let behind = Paging { offset: Some(usize::MAX), ..newest };
        assert_eq!(listed(behind).unwrap(), (vec![], 5, None));
    }

    #[test]
    fn fields_are_chosen_and_what_is_no_field_stays() {
        let select = ["id".to_owned()];
        let arrangement = Arrangement::new(Paging { select: Some(&select), ..Paging::default() }).unwrap();
        let listing = arrangement.page(vec![Note(1, Uuid::nil())], Note::wire);
        assert_eq!(listing.items, [json!({"id": Uuid::nil(), "extracted": {}})]);
    }

    #[test]
    fn what_cannot_be_listed_is_told() {
        let select = ["colour".to_owned()];
        let cases = [
            (Paging { limit: Some(1001), ..Paging::default() }, "`limit` is 1001, at most 1000 are answered"),
            (Paging { sort_by: Some("id"), ..Paging::default() }, "`sort_by` names `id`, it can name `number`"),
            (Paging { sort_order: Some("up"), ..Paging::default() }, "`sort_order` is `up`, it can be `asc` or `desc`"),
            (
                Paging { select: Some(&select), ..Paging::default() },
                "`select` names `colour`, it can name `number`, `id`",
            ),
        ];
        for (paging, message) in cases {
            let error = listed(paging).unwrap_err();
            assert!(matches!(error, RecordError::BadRequest(_)));
            assert_eq!(error.to_string(), message);
        }
    }
}
