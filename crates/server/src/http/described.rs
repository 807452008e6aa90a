//! What the arguments of a handler tell about its route.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Uri};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::json::Json;
use super::keys::Caller;
use super::path::{Path, Segments};
use super::query::Query;

/// What a route reads of a request.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// The schemas of the variable segments, in the order of the template.
    pub(super) segments: Vec<Value>,
    /// The schema of the query as an object.
    pub(super) query: Option<Schema>,
    /// The schema of the body, and whether there must be one.
    pub(super) body: Option<(Schema, bool)>,
}

/// An argument of a handler.
pub(crate) trait Input {
    /// Adds what the argument reads of a request.
    fn describe(inputs: &mut Inputs, generator: &mut SchemaGenerator);
}

/// All arguments of a handler, as the type parameter of [`axum::handler::Handler`] lists them.
pub(crate) trait Described: 'static {
    /// What they read of a request.
    fn inputs(generator: &mut SchemaGenerator) -> Inputs;
}

impl<T: JsonSchema + DeserializeOwned> Input for Json<T> {
    fn describe(inputs: &mut Inputs, generator: &mut SchemaGenerator) {
        // An empty body is read as `null`.
        let is_required = serde_json::from_value::<T>(Value::Null).is_err();
        inputs.body = Some((generator.subschema_for::<T>(), is_required));
    }
}

impl<T: JsonSchema> Input for Query<T> {
    fn describe(inputs: &mut Inputs, generator: &mut SchemaGenerator) {
        inputs.query = Some(T::json_schema(generator));
    }
}

impl<T: Segments> Input for Path<T> {
    fn describe(inputs: &mut Inputs, _generator: &mut SchemaGenerator) {
        inputs.segments = T::schemas();
    }
}

macro_rules! tell_nothing {
    ($($input:ty $(, $part:ident)?;)*) => {$(
        impl$(<$part>)? Input for $input {
            fn describe(_inputs: &mut Inputs, _generator: &mut SchemaGenerator) {}
        }
    )*};
}

tell_nothing! {
    State<S>, S;
    Extension<T>, T;
    HeaderMap;
    Method;
    Uri;
    Bytes;
    Request;
    WebSocketUpgrade;
    Result<WebSocketUpgrade, WebSocketUpgradeRejection>;
    Caller;
}

impl Described for ((),) {
    fn inputs(_generator: &mut SchemaGenerator) -> Inputs {
        Inputs::default()
    }
}

macro_rules! described {
    ($($input:ident)+) => {
        impl<Via: 'static, $($input: Input + 'static),+> Described for (Via, $($input,)+) {
            fn inputs(generator: &mut SchemaGenerator) -> Inputs {
                let mut inputs = Inputs::default();
                $($input::describe(&mut inputs, generator);)+
                inputs
            }
        }
    };
}

described!(A);
described!(A B);
described!(A B C);
described!(A B C D);
described!(A B C D E);
described!(A B C D E F);
described!(A B C D E F G);
