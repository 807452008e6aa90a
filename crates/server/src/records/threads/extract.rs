//! Values at paths of a thread, which a search answers beside it: `{"last": "values.messages[-1].content"}`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::error::RecordError;
use super::super::listing::Listed;
use super::ThreadRecord;

/// The fields that paths may begin with.
const FIELDS: [&str; 4] = ["values", "metadata", "config", "interrupts"];
/// How many paths one search may have.
const MAX_PATHS: usize = 10;

/// One step of a path.
enum Step<'p> {
    /// Into a field of an object.
    Key(&'p str),
    /// Into an element of an array, from its end when negative.
    Index(i64),
}

/// Paths by the name that their values are answered under.
pub(super) struct Extract<'p>(Vec<(&'p str, Vec<Step<'p>>)>);

impl<'p> Extract<'p> {
    /// Reads the paths of a request.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] with the name or the path that cannot be used.
    pub(super) fn new(request: &'p BTreeMap<String, String>) -> Result<Self, RecordError> {
        if request.len() > MAX_PATHS {
            let message = format!("`extract` has {} paths, at most {MAX_PATHS} are answered", request.len());
            return Err(RecordError::BadRequest(message));
        }
        let paths = request.iter().map(|(alias, path)| {
            let mut letters = alias.chars();
            let is_name = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
                && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            if !is_name {
                let message = format!("`extract` has the name `{alias}`, which is not of letters, digits and `_`");
                return Err(RecordError::BadRequest(message));
            }
            if ThreadRecord::FIELDS.contains(&alias.as_str()) {
                let message = format!("`extract` has the name `{alias}`, which is a field of a thread");
                return Err(RecordError::BadRequest(message));
            }
            let steps = steps(path).ok_or_else(|| {
                let fields = FIELDS.map(|field| format!("`{field}`")).join(", ");
                RecordError::BadRequest(format!(
                    "`extract.{alias}` is `{path}`, a path begins with {fields} and goes on as in `values.items[0].name`"
                ))
            })?;
            Ok((alias.as_str(), steps))
        });
        Ok(Self(paths.collect::<Result<_, _>>()?))
    }

    /// Puts the values of the paths into a thread as clients see it; `null` for those that lead nowhere.
    pub(super) fn apply(&self, wire: &mut Value) {
        let at = |steps: &[Step<'_>]| {
            let found = steps.iter().try_fold(&*wire, |value, step| match (step, value) {
                (Step::Key(key), Value::Object(fields)) => fields.get(*key),
                (Step::Index(index), Value::Array(items)) => {
                    let from_start = usize::try_from(*index).ok();
                    let from_end = || usize::try_from(index.unsigned_abs()).ok();
                    items.get(from_start.or_else(|| items.len().checked_sub(from_end()?))?)
                }
                _ => None,
            });
            found.cloned().unwrap_or(Value::Null)
        };
        let extracted: Map<_, _> = self.0.iter().map(|(alias, steps)| ((*alias).to_owned(), at(steps))).collect();
        if !self.0.is_empty() {
            wire["extracted"] = Value::Object(extracted);
        }
    }
}

/// The steps of a path: names joined by dots, with positions in brackets.
fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, positions) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() || key.contains(']') {
            return None;
        }
        steps.push(Step::Key(key));
        let mut rest = positions;
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(index.parse().ok()?));
            rest = after;
        }
    }
    let known = matches!(steps.first(), Some(Step::Key(field)) if FIELDS.contains(field));
    known.then_some(steps)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn extracted(wire: &Value, alias: &str, path: &str) -> Result<Value, RecordError> {
        let request = BTreeMap::from([(alias.to_owned(), path.to_owned())]);
        let mut wire = wire.clone();
        Extract::new(&request)?.apply(&mut wire);
        Ok(wire["extracted"][alias].clone())
    }

    #[test]
    fn paths_lead_into_objects_and_arrays() {
        let wire = json!({"values": {"items": [{"n": 1}, [2, 3]]}, "metadata": {"a": "b"}, "config": {}});
        let cases = [
            ("values.items[0].n", json!(1)),
            ("values.items[-1][0]", json!(2)),
            ("values.items[-2].n", json!(1)),
            ("values.items[-3]", json!(null)),
            ("values.items[2]", json!(null)),
            ("values.items.n", json!(null)),
            ("values[0]", json!(null)),
            ("metadata.a", json!("b")),
            ("metadata", json!({"a": "b"})),
            ("interrupts.x", json!(null)),
        ];
        for (path, expected) in cases {
            assert_eq!(extracted(&wire, "x", path).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn what_is_no_path_is_told() {
        for path in ["", "status", "values.", "values..a", "values.a[", "values.a[b]", "values.a[0]b", "values.a]"] {
            let error = extracted(&json!({}), "x", path).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`extract.x` is `{path}`, a path begins with `values`")), "{error}");
        }
        for (alias, reason) in [("a-b", "which is not of"), ("1a", "which is not of"), ("values", "which is a field")] {
            let error = extracted(&json!({}), alias, "values").unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let many = (0..11).map(|n| (format!("a{n}"), "values".to_owned())).collect();
        assert!(matches!(Extract::new(&many), Err(RecordError::BadRequest(_))));
    }

    proptest! {
        #[test]
        fn no_path_panics(path in "(values|metadata)?[a.\\[\\]0-9-]{0,24}") {
            let _ = extracted(&json!({"values": {"a": [[1]]}}), "x", &path);
        }
    }
}
