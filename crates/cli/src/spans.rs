//! Spans for a collector, with the feature `otel`; without it nobody gets any.

#[cfg(feature = "otel")]
pub(crate) use with::Spans;
#[cfg(not(feature = "otel"))]
pub(crate) use without::Spans;

#[cfg(feature = "otel")]
mod with {
    use graphloom_otel::Exporter;
    use tracing::Subscriber;
    use tracing_subscriber::Layer;
    use tracing_subscriber::registry::LookupSpan;

    use crate::{ExitStatus, Failure};

    /// Sends spans where the variables of the process say so.
    pub(crate) struct Spans(Option<Exporter>);

    impl Spans {
        /// # Errors
        /// A variable that says what cannot be done is a wrong use.
        pub(crate) fn from_env(program: &str) -> Result<Self, Failure> {
            Exporter::from_env(program).map(Self).map_err(|error| Failure::new(ExitStatus::Usage, error))
        }

        pub(crate) fn layer<S>(&self) -> Option<impl Layer<S> + Send + Sync + use<S>>
        where
            S: Subscriber + Send + Sync + for<'span> LookupSpan<'span>,
        {
            self.0.as_ref().map(Exporter::layer)
        }

        /// Sends what is left, at the end of the program.
        pub(crate) fn shutdown(&self) {
            if let Some(exporter) = &self.0 {
                exporter.shutdown();
            }
        }
    }
}

#[cfg(not(feature = "otel"))]
mod without {
    use tracing_subscriber::layer::Identity;

    use crate::Failure;

    pub(crate) struct Spans;

    impl Spans {
        pub(crate) fn from_env(_: &str) -> Result<Self, Failure> {
            Ok(Self)
        }

        pub(crate) fn layer(&self) -> Identity {
            Identity::new()
        }

        pub(crate) fn shutdown(&self) {}
    }
}
