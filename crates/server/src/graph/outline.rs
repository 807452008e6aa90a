//! What is known of a graph before it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use graphloom_core_graph::diagram::Diagram;
use graphloom_core_graph::fields::{Field, FieldKind, JsonForm};
use serde_json::{Map, Value};

use crate::graph::{Fields, Pictures};
use crate::layout::Drawings;

/// What is known of a graph before it runs.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// The name under which it is served.
    pub(crate) name: String,
    /// What it is for, in the words of whoever serves it.
    pub(crate) description: Option<String>,
    pub(crate) fields: Vec<Field>,
    pub(crate) diagram: Diagram,
    /// The drawings of the diagram that were asked for.
    pub(crate) drawings: Arc<Drawings>,
    /// Whether tasks of a super-step commit together.
    pub(crate) in_barrier: bool,
    /// The JSON schema of the state: an object of its fields.
    pub(crate) state_schema: Value,
    /// The fields that a run begins with; all of them unless they are stated.
    pub(crate) takes: Option<Vec<String>>,
    /// The JSON schemas of the states of graphs inside, by the nodes that lead to each.
    pub(crate) subgraph_schemas: BTreeMap<Vec<String>, Value>,
    /// The state before a first input: the fields that are shown then.
    pub(crate) initial: Fields,
    /// The JSON schema of what a run may be given as its context, where the graph takes one.
    pub(crate) context_schema: Option<Value>,
    pub(crate) answers: Arc<AnswerSchemas>,
    pub(crate) pictures: Pictures,
}

/// The JSON schemas of answers, by the keys of questions.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerSchemas(BTreeMap<String, Value>);

impl AnswerSchemas {
    pub(crate) fn declare(&mut self, key: &str, schema: Value) {
        self.0.insert(key.to_owned(), schema);
    }

    /// The schema of answers to the questions of a key: that of the key itself, or of what stands before a `/` in it.
    pub(crate) fn schema(&self, key: &str) -> Option<&Value> {
        self.0.get(key).or_else(|| self.0.get(key.split('/').next()?))
    }
}

impl Outline {
    /// The field of a name.
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The names of the nodes.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &str> {
        use graphloom_core_graph::diagram::NodeKind;
        self.diagram.nodes.iter().filter(|node| node.kind != NodeKind::Terminal).map(|node| node.name.as_str())
    }

    /// The JSON schema of an input: an object of the fields that a run begins with, of which none is required.
    pub(crate) fn input_schema(&self) -> Value {
        let mut schema = self.state_schema.clone();
        let Some(object) = schema.as_object_mut() else { return schema };
        object.shift_remove("required");
        if let (Some(takes), Some(Value::Object(properties))) = (&self.takes, object.get_mut("properties")) {
            let mut all = std::mem::take(properties);
            *properties = takes.iter().filter_map(|name| all.shift_remove_entry(name)).collect();
        }
        schema
    }

    /// The fields of a state that are shown: those with a reducer, and those that were written. A field that nobody has written
    /// is not there, as in LangGraph, whatever its type holds before.
    pub(crate) fn shown(&self, state: Value, is_written: impl Fn(&str) -> bool) -> Fields {
        let Value::Object(mut state) = state else { return Fields::new() };
        state.retain(|name, _| match self.field(name) {
            Some(field) => field.kind == FieldKind::Reducer || is_written(name),
            None => false,
        });
        state
    }

    /// An update as the node wrote it: of a reducer that folds single values, the value in the place of a list of one.
    pub(crate) fn written(&self, update: Value) -> Value {
        let Value::Object(mut update) = update else { return update };
        for (name, value) in &mut update {
            let folds_one = self.field(name).is_some_and(|field| field.json == JsonForm::FoldOne);
            if let (true, Value::Array(values)) = (folds_one, &mut *value)
                && values.len() == 1
            {
                *value = values.pop().unwrap_or_default();
            }
        }
        if update.is_empty() { Value::Null } else { Value::Object(update) }
    }

    /// Says that an input, or what else is named, has fields which the graph has not, and which it has.
    pub(crate) fn strange(&self, what: &str, unknown: &BTreeSet<String>) -> String {
        let listed = |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let unknown = listed(unknown.iter().map(String::as_str).collect());
        let known = listed(self.fields.iter().map(|field| &*field.name).collect());
        format!("the {what} has {unknown}, which is no field of the graph `{}`; fields: {known}", self.name)
    }

    /// Parts an input into what the graph has fields for, and the names of what it has not.
    pub(crate) fn known(&self, values: Fields) -> (Fields, BTreeSet<String>) {
        let (mut known, mut unknown) = (Map::new(), BTreeSet::new());
        for (name, value) in values {
            if self.field(&name).is_some() {
                known.insert(name, value);
            } else {
                unknown.insert(name);
            }
        }
        (known, unknown)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::AnswerSchemas;

    #[test]
    fn a_key_with_more_behind_it_has_the_schema_of_its_beginning() {
        let mut schemas = AnswerSchemas::default();
        schemas.declare("break", json!({ "type": "string" }));
        schemas.declare("break/2", json!({ "type": "number" }));
        for (key, kind) in
            [("break", Some("string")), ("break/1", Some("string")), ("break/2", Some("number")), ("b", None)]
        {
            assert_eq!(
                schemas.schema(key).map(|schema| &schema["type"]),
                kind.map(|kind| json!(kind)).as_ref(),
                "{key}"
            );
        }
    }
}
