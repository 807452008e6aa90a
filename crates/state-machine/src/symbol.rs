//! Closed sets of named values: statuses, actions, conditions.

use std::fmt::Debug;
use std::hash::Hash;

/// A value of a closed, named set.
///
/// Statuses, actions and conditions are symbols, so that a table can check itself against all of them and an
/// explanation can call each by its name. [`symbols!`](crate::symbols) writes the implementation.
pub trait Symbol: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// Every value, in declaration order.
    const ALL: &'static [Self];

    /// The value's name, as written in JSON and in explanations.
    fn name(self) -> &'static str;

    /// The value with this name, compared without regard to ASCII case.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|symbol| symbol.name().eq_ignore_ascii_case(name))
    }
}

/// Declares an enum whose variants carry names, and implements for it [`Symbol`], `Display` (the name), serde (the
/// name as a string) and `JsonSchema`.
///
/// ```
/// use graphloom_state_machine::{Symbol, symbols};
///
/// symbols! {
///     /// Where a review stands.
///     pub enum Review {
///         /// Nobody has looked.
///         Open = "OPEN",
///         /// It is done.
///         Closed = "CLOSED",
///     }
/// }
///
/// assert_eq!(Review::from_name("closed"), Some(Review::Closed));
/// assert_eq!(Review::ALL.len(), 2);
/// ```
#[macro_export]
macro_rules! symbols {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $crate::Symbol for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.pad($crate::Symbol::name(*self))
            }
        }

        impl $crate::__private::serde::Serialize for $name {
            fn serialize<S>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error>
            where
                S: $crate::__private::serde::Serializer,
            {
                serializer.serialize_str($crate::Symbol::name(*self))
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
            where
                D: $crate::__private::serde::Deserializer<'de>,
            {
                let name = <::std::string::String as $crate::__private::serde::Deserialize>::deserialize(deserializer)?;
                <Self as $crate::Symbol>::from_name(&name)
                    .ok_or_else(|| $crate::__private::serde::de::Error::unknown_variant(&name, &[$($text),+]))
            }
        }

        impl $crate::__private::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(stringify!($name))
            }

            fn json_schema(
                _: &mut $crate::__private::schemars::SchemaGenerator,
            ) -> $crate::__private::schemars::Schema {
                $crate::__private::schemars::json_schema!({ "type": "string", "enum": [$($text),+] })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::Symbol;

    symbols! {
        enum TrafficLight {
            Red = "RED",
            Green = "GREEN",
        }
    }

    #[test]
    fn a_symbol_is_its_name_in_json_and_text() {
        for light in TrafficLight::ALL {
            let json = serde_json::to_string(light).unwrap();
            assert_eq!(json, format!("\"{light}\""));
            assert_eq!(serde_json::from_str::<TrafficLight>(&json).unwrap(), *light);
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let error = serde_json::from_str::<TrafficLight>("\"BLUE\"").unwrap_err().to_string();
        assert!(error.contains("`BLUE`") && error.contains("`RED`") && error.contains("`GREEN`"), "{error}");
    }
}
