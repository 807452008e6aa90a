//! Checking values against a schema.

use serde_json::Value;

/// The most faults of one value that are listed.
const MAX_ERRORS: usize = 8;

/// The longest message about a fault, in characters.
const MAX_MESSAGE: usize = 300;

/// A compiled JSON Schema (draft 2020-12).
#[derive(Clone, Debug)]
pub struct SchemaCheck {
    validator: jsonschema::Validator,
}

impl SchemaCheck {
    /// Compiles `schema`.
    ///
    /// # Errors
    /// A text that says where `schema` is not a JSON Schema.
    pub fn new(schema: &Value) -> Result<Self, String> {
        match jsonschema::draft202012::new(schema) {
            Ok(validator) => Ok(Self { validator }),
            Err(error) => Err(format!("the schema is not valid at `{}`: {error}", error.instance_path())),
        }
    }

    /// The faults of `value`, each with its place as a JSON pointer; empty when the value fits.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        let mut faults: Vec<String> = Vec::new();
        let mut more = 0_usize;
        for error in self.validator.iter_errors(value) {
            if faults.len() == MAX_ERRORS {
                more += 1;
                continue;
            }
            let path = error.instance_path().to_string();
            let place = if path.is_empty() { "the top level".to_owned() } else { format!("`{path}`") };
            let mut message: String = error.to_string();
            if let Some((cut, _)) = message.char_indices().nth(MAX_MESSAGE) {
                message.truncate(cut);
                message.push('…');
            }
            faults.push(format!("at {place}: {message}"));
        }
        if more > 0 {
            faults.push(format!("and {more} more"));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_name_their_place() {
        let schema =
            json!({"type": "object", "required": ["id"], "properties": {"tasks": {"items": {"type": "string"}}}});
        let check = SchemaCheck::new(&schema).unwrap();
        assert!(check.errors(&json!({"id": 1})).is_empty());
        let errors = check.errors(&json!({"tasks": ["a", 2]}));
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors.iter().any(|error| error.starts_with("at `/tasks/1`: ")), "{errors:?}");
        assert!(
            errors.iter().any(|error| error.starts_with("at the top level: ") && error.contains("id")),
            "{errors:?}"
        );
    }

    #[test]
    fn a_broken_schema_is_told() {
        assert!(SchemaCheck::new(&json!({"type": 12})).unwrap_err().contains("`/type`"));
    }
}
