//! Services whose names are known at run time.
//!
//! The macros of the SDK make services of types, with names in the source. What they are made of is public, though hidden in its
//! documentation and free to change, so that this crate has one version of the SDK. This file is all that knows it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use restate_sdk::discovery::{
    Handler, HandlerName, HandlerType, OutputPayload, Service as Discovered, ServiceName, ServiceType,
};
use restate_sdk::endpoint::{ContextInternal, Error, ServiceOptions};
use restate_sdk::errors::{HandlerError, HandlerResult, TerminalError};
use restate_sdk::serde::{PayloadMetadata, Serialize};
use restate_sdk::service::macro_support::{ServiceBoxFuture, service_definition};
use restate_sdk::service::{Service, ServiceDefinition};

use crate::error::EngineError;
use crate::names::{PERFORM, RUN, STATE};
use crate::threads::Driving;
use crate::worker::{Worker, perform};

/// How much longer than what it limits the engine waits for a sign of life.
const BEYOND: Duration = Duration::from_secs(60);
/// How long the engine keeps what came of a task: for who lost its connection and asks again.
const KEPT: Duration = Duration::from_secs(60);
/// Tries of a task, with waits up to a second in between, before the engine gives it up: then nobody waits for it, or who does asks
/// anew.
const TASK_TRIES: u64 = 20;
/// The longest wait between tries of a run.
const RUN_PAUSE: Duration = Duration::from_secs(10);
/// Tries of a run, some months, before the engine puts it aside.
const RUN_TRIES: u64 = 1_000_000;

/// What calls the handlers of a service.
struct Dispatch<F>(F);

impl<F> Service for Dispatch<F>
where
    F: Fn(ContextInternal) -> ServiceBoxFuture,
{
    type Future = ServiceBoxFuture;

    fn handle(&self, context: ContextInternal) -> Self::Future {
        (self.0)(context)
    }
}

/// The service that performs tasks of a graph.
pub(super) fn tasks(name: &str, worker: &Arc<Worker>) -> Result<ServiceDefinition, EngineError> {
    let (limit, worker) = (worker.task_limit, Arc::clone(worker));
    let dispatch = Dispatch(move |context: ContextInternal| {
        let worker = Arc::clone(&worker);
        let handled = async move {
            let (summons, _) = context.input::<Vec<u8>>().await;
            let performed = async {
                let summons = serde_json::from_slice(&summons).map_err(|error| bad_request(&error))?;
                perform(&worker, &context, summons).await
            };
            answered(&context, performed).await
        };
        handled.boxed()
    });
    let handlers = vec![handler::<Vec<u8>>(PERFORM, None)?];
    let options = ServiceOptions::new()
        .inactivity_timeout(limit.saturating_add(BEYOND))
        .abort_timeout(BEYOND)
        .idempotency_retention(KEPT)
        .journal_retention(Duration::ZERO)
        .retry_policy_initial_interval(Duration::from_millis(50))
        .retry_policy_exponentiation_factor(2.0)
        .retry_policy_max_interval(Duration::from_secs(1))
        .retry_policy_max_attempts(TASK_TRIES)
        .retry_policy_kill_on_max_attempts();
    Ok(service_definition(dispatch, discovered(name, ServiceType::Service, handlers)?).options(options))
}

/// The object that drives runs of threads.
pub(super) fn threads(name: &str, driving: Arc<Driving>) -> Result<ServiceDefinition, EngineError> {
    let limit = driving.limit;
    let dispatch = Dispatch(move |context: ContextInternal| {
        let driving = Arc::clone(&driving);
        let handled = async move {
            let (request, metadata) = context.input::<Vec<u8>>().await;
            match context.handler_name() {
                RUN => {
                    let driven = async {
                        let request = serde_json::from_slice(&request).map_err(|error| bad_request(&error))?;
                        driving.run(&context, metadata, request).await
                    };
                    answered(&context, driven).await
                }
                STATE => answered(&context, driving.state(&metadata.key)).await,
                other => Err(Error::unknown_handler(context.service_name(), other)),
            }
        };
        handled.boxed()
    });
    let handlers = vec![handler::<Json>(RUN, None)?, handler::<Json>(STATE, Some(HandlerType::Shared))?];
    let options = ServiceOptions::new()
        .inactivity_timeout(limit.saturating_add(BEYOND))
        .abort_timeout(BEYOND)
        .retry_policy_initial_interval(Duration::from_millis(100))
        .retry_policy_exponentiation_factor(2.0)
        .retry_policy_max_interval(RUN_PAUSE)
        .retry_policy_max_attempts(RUN_TRIES)
        .retry_policy_pause_on_max_attempts();
    Ok(service_definition(dispatch, discovered(name, ServiceType::VirtualObject, handlers)?).options(options))
}

/// Ends an invocation with what a handler gave.
async fn answered<T: Serialize>(
    context: &ContextInternal,
    handled: impl Future<Output = HandlerResult<T>>,
) -> Result<(), Error> {
    let result = handled.await;
    context.handle_handler_result(result);
    context.end();
    Ok(())
}

fn bad_request(error: &serde_json::Error) -> HandlerError {
    TerminalError::new_with_code(400, format!("the request cannot be read: {error}")).into()
}

/// JSON that a handler gives, whose type the engine need not know.
struct Json;

impl PayloadMetadata for Json {}

/// A handler as the engine is told of it. It takes any bytes, and judges them itself.
fn handler<T: PayloadMetadata>(name: &str, kind: Option<HandlerType>) -> Result<Handler, EngineError> {
    Ok(Handler {
        name: HandlerName::try_from(name).map_err(|error| EngineError::Setting(error.to_string()))?,
        input: None,
        output: Some(OutputPayload::from_metadata::<T>()),
        ty: kind,
        documentation: None,
        metadata: Default::default(),
        abort_timeout: None,
        inactivity_timeout: None,
        journal_retention: None,
        idempotency_retention: None,
        workflow_completion_retention: None,
        enable_lazy_state: None,
        ingress_private: None,
        retry_policy_initial_interval: None,
        retry_policy_max_interval: None,
        retry_policy_max_attempts: None,
        retry_policy_exponentiation_factor: None,
        retry_policy_on_max_attempts: None,
    })
}

/// A service as the engine is told of it.
fn discovered(name: &str, ty: ServiceType, handlers: Vec<Handler>) -> Result<Discovered, EngineError> {
    Ok(Discovered {
        ty,
        name: ServiceName::try_from(name).map_err(|error| EngineError::Setting(error.to_string()))?,
        handlers,
        documentation: None,
        metadata: Default::default(),
        abort_timeout: None,
        inactivity_timeout: None,
        journal_retention: None,
        idempotency_retention: None,
        enable_lazy_state: None,
        ingress_private: None,
        retry_policy_initial_interval: None,
        retry_policy_max_interval: None,
        retry_policy_max_attempts: None,
        retry_policy_exponentiation_factor: None,
        retry_policy_on_max_attempts: None,
    })
}
