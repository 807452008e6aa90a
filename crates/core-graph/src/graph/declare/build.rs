//! `Description::compile()`.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::graph::Compiled;
use crate::graph::builder::StateGraph;
use crate::graph::declare::description::{Description, NodeDescription};
use crate::graph::declare::registry::{Registered, Registry};
use crate::graph::declare::routes::{named, router, sender, targets};
use crate::graph::errors::{CompileError, CompileErrors};
use crate::graph::spec::NodeSpec;
use crate::name::Name;
use crate::nearest::suggestion;
use crate::state::json::Shape;
use crate::state::{JsonLayout, JsonState};
use crate::topology::Ask;

impl Description {
    /// Makes the graph, with the handlers of `registry`, and compiles it.
    ///
    /// # Errors
    /// All mistakes together: those of [`StateGraph::compile`](crate::StateGraph::compile), handlers and fields that
    /// there are not, and fields that no state can have.
    pub fn compile<Cx: Send + Sync + 'static>(
        &self,
        registry: &Registry<Cx>,
    ) -> Result<Compiled<JsonState, Cx>, CompileErrors> {
        let mut errors = Vec::new();
        let layout = JsonLayout::new(self.fields.iter().cloned()).unwrap_or_else(|found| {
            errors.extend(found.errors.into_iter().map(CompileError::BadField));
            JsonLayout::default()
        });
        if errors.is_empty() {
            self.check_paths(&layout, &mut errors);
        }
        let mut graph = StateGraph::with_layout(self.name.clone(), layout);
        graph.versions(self.version, self.state_version).mode(self.mode);
        for node in &self.nodes {
            node.add(registry, &mut graph, &mut errors);
        }
        graph.blueprint.edges.extend(self.edges.iter().map(|(from, to)| (named(from), named(to))));
        for route in &self.routes {
            graph.add_router(named(&route.from), targets(route), router(route));
        }
        for send in &self.sends {
            graph.add_sender(named(&send.from), vec![named(&send.to)], sender(send));
        }
        for join in &self.joins {
            graph.declare_join(names(&join.from), named(&join.to), join.reached);
        }
        for (class, limit) in &self.limits {
            graph.limit(class.clone(), *limit);
        }
        if let Some(limit) = self.step_timeout_ms {
            graph.step_timeout(Duration::from_millis(limit));
        }
        if self.deny_warnings {
            graph.deny_warnings();
        }
        match graph.compile() {
            Ok(compiled) if errors.is_empty() => Ok(compiled),
            Ok(_) => Err(CompileErrors { graph: self.name.clone(), errors }),
            Err(found) => {
                errors.extend(found.errors);
                Err(CompileErrors { graph: self.name.clone(), errors })
            }
        }
    }

    /// Finds conditions and fan-outs over fields that there are not.
    fn check_paths(&self, layout: &JsonLayout, errors: &mut Vec<CompileError>) {
        let mut check = |place: String, path: &str| {
            let field = path.split('.').next().unwrap_or_default();
            if layout.position(field).is_none() {
                let known: Vec<_> = layout.names().map(|name| format!("`{name}`")).collect();
                let suggestion = suggestion(field, layout.names());
                let (field, known) = (field.to_owned(), known.join(", "));
                errors.push(CompileError::UnknownPlace { place, field, suggestion, known });
            }
        };
        for route in &self.routes {
            let place = || format!("a condition of the route from `{}`", route.from);
            route.cases.iter().for_each(|case| case.when.paths(&mut |path| check(place(), path)));
        }
        for send in &self.sends {
            check(format!("the fan-out from `{}` to `{}`", send.from, send.to), &send.over);
        }
    }
}

impl NodeDescription {
    /// Adds the node. One whose handler is missing is added all the same, so that nothing else is said of it.
    fn add<Cx: Send + Sync + 'static>(
        &self,
        registry: &Registry<Cx>,
        graph: &mut StateGraph<JsonState, Cx>,
        errors: &mut Vec<CompileError>,
    ) {
        let run = match registry.handlers.get(&self.run) {
            Some(Registered { run, for_task }) => {
                if let Some(for_task) = for_task.filter(|for_task| *for_task != self.task) {
                    let (node, handler) = (self.name.clone(), self.run.clone());
                    errors.push(CompileError::WrongHandler { node, handler, for_task });
                }
                Some(Arc::clone(run))
            }
            None => {
                errors.push(self.unknown(&self.run, registry.handlers.keys()));
                None
            }
        };
        if let Some(name) = &self.on_error {
            match registry.error_handlers.get(name) {
                Some(handler) => {
                    graph.blueprint.error_handlers.push(named(&self.name));
                    graph.error_handlers.push(Arc::clone(handler));
                }
                None => errors.push(self.unknown(name, registry.error_handlers.keys())),
            }
        }
        let spec = self.spec(errors);
        let run = run.unwrap_or_else(super::function::nothing);
        // `START` and `END` are no names for nodes: `compile` refuses what they stand for.
        graph.declare(named(&self.name), self.task, run, None).node = spec;
    }

    fn spec(&self, errors: &mut Vec<CompileError>) -> NodeSpec {
        let mut spec = NodeSpec {
            retry: self.retry.iter().map(Into::into).collect(),
            timeout: self.timeout.as_ref().map(Into::into),
            class: self.class.clone(),
            deferred: self.deferred,
            each: self.each,
            goto: names(&self.may_goto),
            sends: names(&self.may_send),
            asks: Vec::new(),
            writes: self.writes.clone(),
        };
        for (key, schema) in &self.asks {
            match Shape::parse(schema) {
                Ok(shape) => {
                    let check = Arc::new(move |answer: &Value| shape.check(answer));
                    spec.asks.push(Ask { key: Cow::Owned(key.clone()), check });
                }
                Err(reason) => {
                    let (node, key) = (self.name.clone(), key.clone());
                    errors.push(CompileError::BadQuestion { node, key, reason });
                }
            }
        }
        spec
    }

    fn unknown<'a>(&self, name: &str, known: impl Iterator<Item = &'a String> + Clone) -> CompileError {
        let listed: Vec<_> = known.clone().map(|name| format!("`{name}`")).collect();
        CompileError::UnknownHandler {
            node: self.name.clone(),
            handler: name.to_owned(),
            suggestion: suggestion(name, known.map(String::as_str)),
            known: if listed.is_empty() { "none".to_owned() } else { listed.join(", ") },
        }
    }
}

fn names(names: &[String]) -> Vec<Name> {
    names.iter().map(|name| named(name)).collect()
}
