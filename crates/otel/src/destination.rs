//! What the standard variables say: whether spans are sent, and where to.

use reqwest::Url;

use crate::OtelError;

/// Where a collector listens unless a variable says otherwise.
const DEFAULT: &str = "http://localhost:4318";
/// The path of traces below the address of a collector.
const TRACES: &str = "v1/traces";

/// Where spans are sent.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    /// The address of the collector's traces.
    pub(crate) traces: Url,
    /// Milliseconds after which a request is given up.
    pub(crate) timeout: u64,
}

impl Destination {
    /// Reads the variables; `None` where nothing is to be sent.
    ///
    /// # Errors
    /// [`OtelError::Variable`].
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, OtelError> {
        let read = |name: &'static str| {
            let value = variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
            value.map(|value| (name, value))
        };
        if read("OTEL_SDK_DISABLED").is_some_and(|(_, value)| value.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let is_asked = match read("OTEL_TRACES_EXPORTER") {
            None => false,
            Some((_, value)) if value == "none" => return Ok(None),
            Some((_, value)) if value == "otlp" => true,
            Some((name, _)) => return Err(wrong(name, "is neither `otlp` nor `none`")),
        };
        let own = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let of_all = read("OTEL_EXPORTER_OTLP_ENDPOINT");
        let traces = match (own, of_all) {
            (Some((name, value)), _) => address(name, &value)?,
            (None, Some((name, value))) => below(address(name, &value)?),
            (None, None) if is_asked => below(address("OTEL_EXPORTER_OTLP_ENDPOINT", DEFAULT)?),
            (None, None) => return Ok(None),
        };
        let of_traces_or_all = |own: &'static str, all: &'static str| read(own).or_else(|| read(all));
        if let Some((name, protocol)) =
            of_traces_or_all("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
            && protocol != "http/protobuf"
        {
            return Err(wrong(
                name,
                "is not `http/protobuf`, which is what is spoken here; a collector has it on port 4318",
            ));
        }
        let timeout = match of_traces_or_all("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT") {
            None => 10_000,
            Some((name, value)) => value.parse().map_err(|_| wrong(name, "is no number of milliseconds"))?,
        };
        Ok(Some(Self { traces, timeout }))
    }
}

/// Values are not repeated: they may hold a password.
fn wrong(variable: &'static str, reason: &'static str) -> OtelError {
    OtelError::Variable { variable, reason }
}

fn address(variable: &'static str, value: &str) -> Result<Url, OtelError> {
    let url = Url::parse(value).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or(wrong(variable, "is no address; write `http://HOST:4318` or `https://HOST:4318`"))
}

/// The traces of a collector.
fn below(mut collector: Url) -> Url {
    let path = format!("{}/{TRACES}", collector.path().trim_end_matches('/'));
    collector.set_path(&path);
    collector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<Destination>, OtelError> {
        Destination::read(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn nothing_is_sent_unless_a_variable_asks_for_it() {
        for quiet in [
            &[][..],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
            &[("OTEL_SERVICE_NAME", "x")],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"), ("OTEL_SDK_DISABLED", "TRUE")],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"), ("OTEL_TRACES_EXPORTER", "none")],
        ] {
            assert!(read(quiet).unwrap().is_none(), "{quiet:?}");
        }
    }

    #[test]
    fn the_address_is_that_of_traces_or_below_that_of_all() {
        for (variables, address) in [
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318")][..], "http://c:4318/v1/traces"),
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", "https://c/otlp/")], "https://c/otlp/v1/traces"),
            (&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://c/x")], "https://c/x"),
            (&[("OTEL_TRACES_EXPORTER", "otlp")], "http://localhost:4318/v1/traces"),
        ] {
            assert_eq!(read(variables).unwrap().unwrap().traces.as_str(), address);
        }
    }

    #[test]
    fn what_cannot_be_done_is_named_without_its_value() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318");
        for (variables, name) in [
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://me:secret@c")][..], "OTEL_EXPORTER_OTLP_ENDPOINT"),
            (&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "secret")], "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
            (&[endpoint, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")], "OTEL_EXPORTER_OTLP_PROTOCOL"),
            (&[endpoint, ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")], "OTEL_EXPORTER_OTLP_TIMEOUT"),
            (&[("OTEL_TRACES_EXPORTER", "zipkin")], "OTEL_TRACES_EXPORTER"),
        ] {
            let error = read(variables).unwrap_err().to_string();
            assert!(error.contains(name) && !error.contains("secret"), "{error}");
        }
    }
}
