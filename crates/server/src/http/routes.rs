//! The table of routes: one list, of which the router, the `OpenAPI` document and the rights are made.

use std::borrow::Cow;

use axum::Router;
use axum::handler::Handler;
use axum::http::{Method, StatusCode};
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::described::{Described, Inputs};
use super::keys::Scope;
use super::problem::Problem;

/// Routes, in the order in which they are declared.
///
/// ```text
/// Routes::new("Threads")
///     .post("/threads", "Creates a thread", create).answers::<Thread>()
///     .get("/threads/{thread_id}", "A thread", show).answers::<Thread>()
///     .delete("/threads/{thread_id}", "Deletes a thread", delete).answers_status(StatusCode::NO_CONTENT)
/// ```
///
/// What stands behind a route (`answers`, `needs`, …) is about that route. The parameters and the body of the `OpenAPI`
/// document are those of the handler's own arguments.
pub(crate) struct Routes<S = ()> {
    tag: &'static str,
    pub(super) routes: Vec<Route<S>>,
    pub(super) services: Router<S>,
}

/// One method of one path.
pub(crate) struct Route<S> {
    pub(super) method: Method,
    pub(super) path: Cow<'static, str>,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    pub(super) access: Access,
    pub(super) inputs: fn(&mut SchemaGenerator) -> Inputs,
    pub(super) answer: Answer,
    pub(super) render: Option<Render>,
    handler: MethodRouter<S>,
}

/// What a key must allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// No key is asked for.
    Open,
    /// A key with this scope.
    Needs(Scope),
}

/// How a protocol writes a refusal.
pub(crate) type Render = fn(&Problem) -> Value;

/// What is answered when all is well.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) media: &'static str,
    pub(super) schema: Option<fn(&mut SchemaGenerator) -> Schema>,
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    /// An empty table; `tag` is its heading in the `OpenAPI` document.
    pub(crate) fn new(tag: &'static str) -> Self {
        Self { tag, routes: Vec::new(), services: Router::new() }
    }

    /// A route of `GET`, which also answers `HEAD`.
    pub(crate) fn get<H: Handler<T, S>, T: Described>(
        self,
        path: impl Into<Cow<'static, str>>,
        summary: &'static str,
        h: H,
    ) -> Self {
        self.route(Method::GET, MethodFilter::GET, path, summary, h)
    }

    /// A route of `POST`.
    pub(crate) fn post<H: Handler<T, S>, T: Described>(self, path: &'static str, summary: &'static str, h: H) -> Self {
        self.route(Method::POST, MethodFilter::POST, path, summary, h)
    }

    /// A route of `PUT`.
    pub(crate) fn put<H: Handler<T, S>, T: Described>(self, path: &'static str, summary: &'static str, h: H) -> Self {
        self.route(Method::PUT, MethodFilter::PUT, path, summary, h)
    }

    /// A route of `PATCH`.
    pub(crate) fn patch<H: Handler<T, S>, T: Described>(self, path: &'static str, summary: &'static str, h: H) -> Self {
        self.route(Method::PATCH, MethodFilter::PATCH, path, summary, h)
    }

    /// A route of `DELETE`.
    pub(crate) fn delete<H: Handler<T, S>, T: Described>(
        self,
        path: &'static str,
        summary: &'static str,
        h: H,
    ) -> Self {
        self.route(Method::DELETE, MethodFilter::DELETE, path, summary, h)
    }

    fn route<H: Handler<T, S>, T: Described>(
        mut self,
        method: Method,
        filter: MethodFilter,
        path: impl Into<Cow<'static, str>>,
        summary: &'static str,
        handler: H,
    ) -> Self {
        let path = path.into();
        self.routes.push(Route {
            access: Access::Needs(scope_of(&method, &path)),
            method,
            path,
            tag: self.tag,
            summary,
            inputs: T::inputs,
            answer: Answer { status: StatusCode::OK, media: "application/json", schema: None },
            render: None,
            handler: on(filter, handler),
        });
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Route<S>)) -> Self {
        if let Some(route) = self.routes.last_mut() {
            change(route);
        }
        self
    }

    /// The last route answers JSON of this type.
    pub(crate) fn answers<A: JsonSchema>(self) -> Self {
        self.last(|route| route.answer.schema = Some(SchemaGenerator::subschema_for::<A>))
    }

    /// The last route answers with this status, not with 200.
    pub(crate) fn answers_status(self, status: StatusCode) -> Self {
        self.last(|route| route.answer.status = status)
    }

    /// The last route answers this media type.
    pub(crate) fn answers_media(self, media: &'static str) -> Self {
        self.last(|route| route.answer.media = media)
    }

    /// The last route answers with a stream of server-sent events.
    pub(crate) fn streams(self) -> Self {
        self.answers_media("text/event-stream")
    }

    /// The last route needs this scope, and not the one that [`scope_of`] gives.
    pub(crate) fn needs(self, scope: Scope) -> Self {
        self.last(|route| route.access = Access::Needs(scope))
    }

    /// The last route asks for no key.
    pub(crate) fn open(self) -> Self {
        self.last(|route| route.access = Access::Open)
    }

    /// Refusals on all routes so far are written in this form, those of the guard as well.
    pub(crate) fn problems_as(mut self, render: Render) -> Self {
        for route in &mut self.routes {
            route.render = Some(render);
        }
        self
    }

    /// Adds routes that others made, whose scopes are those of [`scope_of`]; the `OpenAPI` document does not have them.
    #[cfg(feature = "mcp")]
    pub(crate) fn services(mut self, services: Router<S>) -> Self {
        self.services = self.services.merge(services);
        self
    }

    /// Adds all routes of another table.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.routes.extend(other.routes);
        self.services = self.services.merge(other.services);
        self
    }

    /// Gives the handlers their state.
    pub(crate) fn with_state(self, state: &S) -> Routes<()> {
        let routes = self.routes.into_iter().map(|route| route.with_state(state.clone())).collect();
        Routes { tag: self.tag, routes, services: self.services.with_state(state.clone()) }
    }

    /// The router of the table, without a guard.
    pub(super) fn router(&self) -> Router<S> {
        self.routes.iter().fold(self.services.clone(), |router, route| router.route(&route.path, route.handler.clone()))
    }

    /// The first segments of all paths that are in the table.
    pub(crate) fn first_segments(&self) -> impl Iterator<Item = &str> {
        self.routes.iter().filter_map(|route| route.path.split('/').nth(1))
    }
}

impl<S: Clone> Route<S> {
    fn with_state(self, state: S) -> Route<()> {
        Route {
            method: self.method,
            path: self.path,
            tag: self.tag,
            summary: self.summary,
            access: self.access,
            inputs: self.inputs,
            answer: self.answer,
            render: self.render,
            handler: self.handler.with_state(state),
        }
    }
}

/// What a request does, by its method and its path or the template of it.
///
/// `GET` looks, and so do the searches, counts, histories and streams that have their question in a body. Deleting
/// assistants, setting crons, pruning and the figures of the server are for administrators. All else runs.
pub(crate) fn scope_of(method: &Method, path: &str) -> Scope {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let last = segments.last().copied().unwrap_or_default();
    if *method == Method::GET || *method == Method::HEAD || *method == Method::OPTIONS {
        return if last == "metrics" { Scope::Admin } else { Scope::Read };
    }
    let reads = ["search", "count", "history", "versions", "namespaces", "checkpoint", "events"];
    if *method == Method::POST && reads.contains(&last) {
        return Scope::Read;
    }
    let of_assistants = segments.first() == Some(&"assistants") && *method == Method::DELETE;
    if of_assistants || segments.contains(&"crons") || segments.ends_with(&["threads", "prune"]) {
        return Scope::Admin;
    }
    Scope::Run
}

#[cfg(test)]
mod tests {
    use axum::http::Method;

    use super::super::keys::Scope::{Admin, Read, Run};
    use super::scope_of;

    #[test]
    fn a_scope_follows_from_method_and_path() {
        let cases = [
            ("GET", "/threads/{thread_id}/state", Read),
            ("HEAD", "/ok", Read),
            ("GET", "/metrics", Admin),
            ("POST", "/threads/search", Read),
            ("POST", "/threads/count", Read),
            ("POST", "/threads/{thread_id}/history", Read),
            ("POST", "/threads/{thread_id}/state/checkpoint", Read),
            ("POST", "/threads/{thread_id}/stream/events", Read),
            ("POST", "/runs/crons/search", Read),
            ("POST", "/threads", Run),
            ("POST", "/threads/{thread_id}/runs/wait", Run),
            ("DELETE", "/threads/{thread_id}", Run),
            ("PATCH", "/assistants/{assistant_id}", Run),
            ("PUT", "/store/items", Run),
            ("DELETE", "/assistants/{assistant_id}", Admin),
            ("POST", "/threads/prune", Admin),
            ("POST", "/runs/crons", Admin),
            ("DELETE", "/runs/crons/{cron_id}", Admin),
            ("POST", "/threads/{thread_id}/runs/crons", Admin),
        ];
        for (method, path, expected) in cases {
            let method: Method = method.parse().expect("a method");
            assert_eq!(scope_of(&method, path), expected, "{method} {path}");
        }
    }
}
