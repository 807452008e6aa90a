//! Tools whose arguments are a Rust type.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_llm::ToolSpec;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::arguments::hint;
use super::{Risk, Tool, ToolError, ToolOutput};

/// A tool whose arguments are a Rust type. [`typed`] makes a [`Tool`] of it.
///
/// The schema that the model sees comes from `Arguments`: its doc comments are the descriptions, and with
/// `#[serde(deny_unknown_fields)]` a misspelt argument is told instead of ignored.
pub trait TypedTool: Send + Sync + 'static {
    /// The arguments.
    type Arguments: DeserializeOwned + JsonSchema + Send;

    /// The name that the model calls: lower case with `_`.
    const NAME: &'static str;
    /// When and how to use it, from a file.
    const DESCRIPTION: &'static str;
    /// How much it can change.
    const RISK: Risk;
    /// Other names of arguments that models use, as (other name, name).
    const ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// Runs the tool.
    fn run(&self, arguments: Self::Arguments) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;
}

/// A typed tool as a [`Tool`].
pub fn typed<T: TypedTool>(tool: T) -> Arc<dyn Tool> {
    let mut parameters = SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T::Arguments>()
        .to_value();
    if let Value::Object(members) = &mut parameters {
        for word in ["$schema", "title", "description"] {
            members.remove(word);
        }
        // A tool without arguments still takes an object.
        members.entry("type").or_insert_with(|| "object".into());
        members.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    let spec = ToolSpec {
        name: T::NAME.to_owned(),
        description: T::DESCRIPTION.trim_end().to_owned(),
        parameters,
        strict: false,
    };
    Arc::new(TypedToolAdapter { tool, spec })
}

struct TypedToolAdapter<T> {
    tool: T,
    spec: ToolSpec,
}

#[async_trait]
impl<T: TypedTool> Tool for TypedToolAdapter<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn risk(&self) -> Risk {
        T::RISK
    }

    fn aliases(&self) -> &[(&str, &str)] {
        T::ALIASES
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let arguments = serde_path_to_error::deserialize(arguments).map_err(|error| {
            let path = error.path().to_string();
            ToolError::Arguments {
                tool: T::NAME.to_owned(),
                faults: vec![format!("at `{path}`: {}", error.into_inner())],
                hint: hint(&self.spec.parameters),
            }
        })?;
        self.tool.run(arguments).await
    }
}
