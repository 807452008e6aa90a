//! Parts of a state that a client asks for: `values`, `next`, `values.count`.

use serde_json::{Map, Value};

use crate::http::Problem;

/// The fields of a state.
const FIELDS: [&str; 10] = [
    "values",
    "next",
    "tasks",
    "metadata",
    "created_at",
    "checkpoint",
    "parent_checkpoint",
    "interrupts",
    "checkpoint_id",
    "parent_checkpoint_id",
];

/// The parts of a state that a client asks for; all of it where nothing is asked for.
#[derive(Debug, Default)]
pub(crate) struct Select(Vec<String>);

impl Select {
    /// Reads the paths of a request.
    ///
    /// # Errors
    /// 422 for a path that begins with no field of a state.
    pub(crate) fn new(paths: Option<Vec<String>>) -> Result<Self, Problem> {
        let paths = paths.unwrap_or_default();
        for path in &paths {
            let (field, _) = path.split_once('.').unwrap_or((path, ""));
            if !FIELDS.contains(&field) {
                let fields = FIELDS.map(|field| format!("`{field}`")).join(", ");
                let detail = format!("`select` names `{path}`; a path begins with one of {fields}");
                return Err(Problem::unprocessable(detail).about("select"));
            }
        }
        Ok(Self(paths))
    }

    /// The parts of a state, in the order of the state. A path that leads nowhere leaves the object that it leads into.
    pub(crate) fn of(&self, state: Value) -> Value {
        if self.0.is_empty() {
            return state;
        }
        let Value::Object(state) = state else { return state };
        let mut selected = Map::new();
        for (field, value) in state {
            let mut part: Option<Value> = None;
            for path in &self.0 {
                if *path == field {
                    part = Some(value.clone());
                    break;
                }
                if let Some(rest) = path.strip_prefix(&field).and_then(|rest| rest.strip_prefix('.')) {
                    put(part.get_or_insert_with(|| Value::Object(Map::new())), &value, rest);
                }
            }
            if let Some(part) = part {
                selected.insert(field, part);
            }
        }
        Value::Object(selected)
    }
}

/// Copies what is at a path of objects.
fn put(target: &mut Value, source: &Value, path: &str) {
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    let (Some(found), Value::Object(target)) = (source.get(key), target) else { return };
    match rest {
        None => {
            target.insert(key.to_owned(), found.clone());
        }
        Some(rest) => put(target.entry(key).or_insert_with(|| Value::Object(Map::new())), found, rest),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_taken_by_their_paths() {
        let state = json!({"values": {"a": {"b": 1, "c": 2}, "n": 3}, "next": ["x"], "tasks": []});
        let cases = [
            (vec![], state.clone()),
            (vec!["next"], json!({"next": ["x"]})),
            (vec!["next", "values.n"], json!({"values": {"n": 3}, "next": ["x"]})),
            (vec!["values.a.b", "values.n"], json!({"values": {"a": {"b": 1}, "n": 3}})),
            (vec!["values.n", "values"], json!({"values": {"a": {"b": 1, "c": 2}, "n": 3}})),
            (vec!["values.missing"], json!({"values": {}})),
            (vec!["next.x"], json!({"next": {}})),
        ];
        for (paths, expected) in cases {
            let select = Select::new(Some(paths.iter().map(|path| (*path).to_owned()).collect())).unwrap();
            assert_eq!(select.of(state.clone()), expected, "{paths:?}");
        }
        let error = Select::new(Some(vec!["value.n".to_owned()])).unwrap_err();
        assert!(error.detail.starts_with("`select` names `value.n`; a path begins with one of `values`"), "{error:?}");
    }
}
