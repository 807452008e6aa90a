//! The `OpenAPI` document, made of the table of routes.

use axum::http::Method;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::routes::{Access, Route, Routes};

/// The `OpenAPI` 3.1 document of a table.
pub(crate) fn document(routes: &Routes<()>) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for route in &routes.routes {
        let path = paths.entry(plain_path(&route.path)).or_insert_with(|| json!({}));
        path[route.method.as_str().to_lowercase()] = operation(route, &mut generator);
    }
    let mut schemas = generator.take_definitions(true);
    schemas.insert(
        "Problem".to_owned(),
        json!({ "type": "object", "properties": { "detail": { "type": "string" } }, "required": ["detail"] }),
    );
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Graphloom", "version": env!("CARGO_PKG_VERSION") },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "key": { "type": "apiKey", "in": "header", "name": "x-api-key" },
                "bearer": { "type": "http", "scheme": "bearer" },
            },
        },
    })
}

fn operation(route: &Route<()>, generator: &mut SchemaGenerator) -> Value {
    let inputs = (route.inputs)(generator);
    let mut parameters: Vec<Value> = variables(&route.path)
        .zip(inputs.segments.into_iter().chain(std::iter::repeat(json!({ "type": "string" }))))
        .map(|(name, schema)| json!({ "name": name, "in": "path", "required": true, "schema": schema }))
        .collect();
    parameters.extend(inputs.query.into_iter().flat_map(|schema| query_parameters(&schema.to_value())));
    let mut answer = json!({ "description": "Done" });
    if route.answer.schema.is_some() || route.answer.media != "application/json" {
        let schema = route.answer.schema.map_or_else(|| json!({}), |schema| schema(generator).to_value());
        answer["content"] = json!({ route.answer.media: { "schema": schema } });
    }
    let refusal = json!({ "schema": { "$ref": "#/components/schemas/Problem" } });
    let mut operation = json!({
        "operationId": operation_id(&route.method, &route.path),
        "summary": route.summary,
        "tags": [route.tag],
        "responses": {
            route.answer.status.as_str(): answer,
            "default": { "description": "Refused", "content": { "application/json": refusal } },
        },
    });
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some((schema, is_required)) = inputs.body {
        operation["requestBody"] =
            json!({ "required": is_required, "content": { "application/json": { "schema": schema } } });
    }
    if let Access::Needs(scope) = route.access {
        operation["security"] = json!([{ "key": [] }, { "bearer": [] }]);
        operation["x-scope"] = scope.as_str().into();
    }
    operation
}

fn query_parameters(schema: &Value) -> Vec<Value> {
    let is_required =
        |name: &str| schema["required"].as_array().is_some_and(|required| required.iter().any(|known| known == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, schema)| json!({ "name": name, "in": "query", "required": is_required(name), "schema": schema }))
        .collect()
}

/// The names between braces; `{*rest}` is `rest`.
fn variables(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|segment| {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        Some(name.trim_start_matches('*'))
    })
}

fn plain_path(path: &str) -> String {
    path.replace("{*", "{")
}

fn operation_id(method: &Method, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    std::iter::once(method.as_str().to_lowercase()).chain(words.map(str::to_owned)).collect::<Vec<_>>().join("_")
}
