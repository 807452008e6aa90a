//! What follows the question mark of an address.

use std::fmt;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::json::at_path;
use super::problem::Problem;

/// The query, read as a `T` in the ways that clients write it.
///
/// A switch is `true`, `True`, `1` or nothing (`?recurse`), and `false`, `False` or `0`. A list is a repeated key
/// (`select=a&select=b`) or one value that is a JSON array (`stream_mode=["values","updates"]`). Of a single value that is
/// given several times the last one counts. Keys that `T` does not know are ignored unless `T` says otherwise.
///
/// # Errors
/// 422 with the key that is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parse(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

/// Reads the query as a `T`.
pub(crate) fn parse<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let mut fields: Vec<(String, Values)> = Vec::new();
    for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let known = fields.iter().position(|(known, _)| *known == key);
        match known {
            Some(index) => fields[index].1.0.push(value.into_owned()),
            None if fields.len() == MAX_KEYS => {
                return Err(Problem::unprocessable(format!("Query has more than {MAX_KEYS} different keys")));
            }
            None => fields.push((key.into_owned(), Values(vec![value.into_owned()]))),
        }
    }
    let fields: MapDeserializer<'_, _, QueryFault> = MapDeserializer::new(fields.into_iter());
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let path = error.path().to_string();
        at_path("query", &path, &error.into_inner().0)
    })
}

/// So many different keys no caller has, and they are looked through one by one.
const MAX_KEYS: usize = 100;

/// What is wrong with a value.
#[derive(Debug)]
struct QueryFault(String);

impl fmt::Display for QueryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for QueryFault {}

impl serde::de::Error for QueryFault {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Self(message.to_string())
    }
}

/// The values of one key, in their order; never none.
struct Values(Vec<String>);

impl Values {
    fn last(mut self) -> String {
        self.0.pop().unwrap_or_default()
    }

    fn parsed<N: std::str::FromStr>(self, expected: &str) -> Result<N, QueryFault> {
        let text = self.last();
        text.trim().parse().map_err(|_| QueryFault(format!("`{text}` is not {expected}")))
    }
}

impl<'de> IntoDeserializer<'de, QueryFault> for Values {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $number:ty, $expected:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryFault> {
            visitor.$visit(self.parsed::<$number>($expected)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Values {
    type Error = QueryFault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryFault> {
        visitor.visit_string(self.last())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryFault> {
        match self.last().as_str() {
            "true" | "True" | "TRUE" | "1" | "" => visitor.visit_bool(true),
            "false" | "False" | "FALSE" | "0" => visitor.visit_bool(false),
            other => Err(QueryFault(format!("`{other}` is not `true` or `false`"))),
        }
    }

    numbers! {
        deserialize_i8 visit_i64 i64, "a whole number";
        deserialize_i16 visit_i64 i64, "a whole number";
        deserialize_i32 visit_i64 i64, "a whole number";
        deserialize_i64 visit_i64 i64, "a whole number";
        deserialize_u8 visit_u64 u64, "a whole number from 0";
        deserialize_u16 visit_u64 u64, "a whole number from 0";
        deserialize_u32 visit_u64 u64, "a whole number from 0";
        deserialize_u64 visit_u64 u64, "a whole number from 0";
        deserialize_f32 visit_f64 f64, "a number";
        deserialize_f64 visit_f64 f64, "a number";
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryFault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, QueryFault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryFault> {
        let mut values = Vec::with_capacity(self.0.len());
        for value in self.0 {
            if value.starts_with('[') {
                let listed: Vec<String> = serde_json::from_str(&value)
                    .map_err(|_| QueryFault(format!("`{value}` is not a JSON array of strings")))?;
                values.extend(listed);
            } else {
                values.push(value);
            }
        }
        let values = values.into_iter().map(|value| Self(vec![value]));
        visitor.visit_seq(SeqDeserializer::new(values))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, QueryFault> {
        visitor.visit_enum(self.last().into_deserializer())
    }

    fn deserialize_map<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, QueryFault> {
        Err(QueryFault::custom("a query holds no objects"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, QueryFault> {
        self.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::parse;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct Sample {
        wait: bool,
        limit: Option<u32>,
        stream_mode: Vec<String>,
        name: String,
        order: Option<Order>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Asc,
        Desc,
    }

    #[test]
    fn every_way_to_write_a_value_is_read() {
        let modes = |modes: &[&str]| modes.iter().map(ToString::to_string).collect::<Vec<_>>();
        let cases = [
            ("", Sample::default()),
            ("wait=True", Sample { wait: true, ..Sample::default() }),
            ("wait=1&unknown=x", Sample { wait: true, ..Sample::default() }),
            ("wait", Sample { wait: true, ..Sample::default() }),
            ("wait=1&wait=0", Sample::default()),
            ("limit=7&name=a%2Fb+c", Sample { limit: Some(7), name: "a/b c".into(), ..Sample::default() }),
            ("stream_mode=values", Sample { stream_mode: modes(&["values"]), ..Sample::default() }),
            (
                "stream_mode=values&stream_mode=updates",
                Sample { stream_mode: modes(&["values", "updates"]), ..Sample::default() },
            ),
            (
                "stream_mode=%5B%22values%22%2C%22custom%22%5D",
                Sample { stream_mode: modes(&["values", "custom"]), ..Sample::default() },
            ),
            ("order=desc", Sample { order: Some(Order::Desc), ..Sample::default() }),
        ];
        for (query, expected) in cases {
            assert_eq!(parse::<Sample>(query).expect(query), expected, "{query}");
        }
    }

    #[test]
    fn a_wrong_value_is_named_by_its_key() {
        let cases = [
            ("limit=x", "Invalid query at `limit`: `x` is not a whole number from 0"),
            ("limit=99999999999", "Invalid query at `limit`: invalid value: integer `99999999999`, expected u32"),
            ("wait=maybe", "Invalid query at `wait`: `maybe` is not `true` or `false`"),
            ("stream_mode=[1]", "Invalid query at `stream_mode`: `[1]` is not a JSON array of strings"),
            ("order=up", "Invalid query at `order`: unknown variant `up`, expected `asc` or `desc`"),
        ];
        for (query, expected) in cases {
            let problem = parse::<Sample>(query).expect_err(query);
            assert_eq!((problem.status.as_u16(), problem.detail.as_ref()), (422, expected));
        }
        let many = (0..101).map(|n| format!("k{n}=1")).collect::<Vec<_>>().join("&");
        assert_eq!(parse::<Sample>(&many).expect_err("too many").detail, "Query has more than 100 different keys");
    }
}
