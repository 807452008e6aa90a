//! What leads from node to node, as functions of the state.

use std::sync::Arc;

use serde_json::Value;

use crate::checkpoint::RecordBytes;
use crate::graph::declare::description::{RouteDescription, SendDescription};
use crate::name::{END, Name, Packet, START};
use crate::state::{JsonState, codec};
use crate::topology::{RouteFn, SendFn};

/// The name of a node as a description writes it.
pub(super) fn named(name: &str) -> Name {
    match name {
        "START" => START.into_name(),
        "END" => END.into_name(),
        name => Name::Owned(name.into()),
    }
}

/// The targets of a route, each once.
pub(super) fn targets(route: &RouteDescription) -> Vec<Name> {
    let mut targets: Vec<Name> = Vec::new();
    for name in route.cases.iter().flat_map(|case| &case.to).chain(&route.otherwise).map(|name| named(name)) {
        if !targets.contains(&name) {
            targets.push(name);
        }
    }
    targets
}

/// The router of a described conditional edge.
pub(super) fn router(route: &RouteDescription) -> RouteFn<JsonState> {
    let names = |names: &[String]| names.iter().map(|name| named(name)).collect::<Vec<_>>();
    let cases: Vec<_> = route.cases.iter().map(|case| (case.when.clone(), names(&case.to))).collect();
    let otherwise = names(&route.otherwise);
    Arc::new(move |state, found| {
        let chosen = cases.iter().find(|(when, _)| when.holds(state)).map_or(&otherwise, |(_, to)| to);
        chosen.iter().for_each(found);
    })
}

/// The send function of a described fan-out.
pub(super) fn sender(send: &SendDescription) -> SendFn<JsonState> {
    let SendDescription { over, to, key, .. } = send.clone();
    let to = named(&to);
    Arc::new(move |state: &JsonState| {
        let Some(entries) = state.at(&over) else { return Vec::new() };
        let packet = |at: String, entry: &Value| packet(&to, &over, key.as_deref(), at, entry);
        match &*entries {
            Value::Null => Vec::new(),
            Value::Array(entries) => {
                entries.iter().enumerate().map(|(at, entry)| packet(at.to_string(), entry)).collect()
            }
            Value::Object(entries) => entries.iter().map(|(at, entry)| packet(at.clone(), entry)).collect(),
            other => {
                let input = Err(format!("`{over}` is no list or object to send the entries of, but `{other}`"));
                vec![Packet::of(to.clone(), "".into(), input)]
            }
        }
    })
}

fn packet(to: &Name, over: &str, key: Option<&str>, at: String, entry: &Value) -> Packet {
    let place = format!("{over}.{at}");
    let own = match key {
        None => Ok(at),
        Some(path) => match crate::json_value::at(entry, path) {
            Some(Value::String(key)) => Ok(key.clone()),
            Some(Value::Number(key)) => Ok(key.to_string()),
            _ => Err(format!("`{place}` has no text or number at `{path}` for its key")),
        },
    };
    match own {
        Ok(key) => {
            let input = codec::encode("input", entry).map(RecordBytes::from).map_err(|error| error.to_string());
            Packet::of(to.clone(), key.into(), input)
        }
        Err(message) => Packet::of(to.clone(), "".into(), Err(message)),
    }
}
