//! Several models in the place of one: the next is asked when one fails, and who cannot take a request is passed over.

mod policy;
mod stand_in;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use tokio::time::Instant;

use super::{begun, expected};
use crate::prices::Price;
use crate::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Note, NoteKind, Notes,
};

pub use policy::FallbackOn;
use policy::{enforces, lacks};
pub(super) use stand_in::noticed;

/// The time for which a model that could not answer is asked after all others.
const REST: Duration = Duration::from_secs(30);

/// In which order models are asked that can take a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RouteOrder {
    /// As they were given.
    #[default]
    AsGiven,
    /// By what the request is expected to cost, the cheapest first; models whose price is not known come last.
    Cheapest,
}

/// A model of a [`Fallback`].
#[derive(Clone)]
pub struct FallbackModel {
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// After which failures of others it is asked.
    pub on: FallbackOn,
    /// What it costs, where that is known. A model in this process costs nothing.
    pub price: Option<Price>,
}

/// Several models in the place of one.
///
/// A request goes to the first model that can take it: one that reads its images and documents, calls its tools, holds it in
/// its context and, where one of the models does, enforces its schema. When that one fails, the next is asked, if it is there
/// for such a failure ([`FallbackOn`]); each time there is a [`Note`]. A stream that has given a part of its answer ends with
/// its error: no other model can go on where it stopped. A model that could not answer comes last for half a minute; there is
/// a [`Note`] when another one is asked first for that reason.
///
/// The id is that of the first model, and so are the abilities, save that images, documents and tools are taken where one of
/// the models takes them.
pub struct Fallback {
    id: ModelId,
    capabilities: Capabilities,
    models: Vec<Member>,
    order: RouteOrder,
    notes: Notes,
}

struct Member {
    is_first: bool,
    model: FallbackModel,
    /// The time for which it comes last.
    rest: Mutex<Option<Rest>>,
}

struct Rest {
    end: Instant,
    /// Whether a note says that another model is asked meanwhile.
    is_told: bool,
}

impl FallbackModel {
    /// A model that is asked when the ones before it cannot answer.
    pub fn new(model: Arc<dyn ChatModel>) -> Self {
        Self { model, on: FallbackOn::default(), price: None }
    }
}

impl Fallback {
    /// These models in the place of one, in this order. `notes` takes every fallback.
    ///
    /// # Errors
    /// [`ModelError::Setup`] without a model.
    pub fn new(models: Vec<FallbackModel>, order: RouteOrder, notes: Notes) -> Result<Self, ModelError> {
        let first = models.first().ok_or_else(|| ModelError::Setup { message: "no model is named".to_owned() })?;
        let id = first.model.id().clone();
        let mut capabilities = first.model.capabilities().clone();
        for member in &models {
            let of_member = member.model.capabilities();
            capabilities.images |= of_member.images;
            capabilities.documents |= of_member.documents;
            capabilities.tools |= of_member.tools;
            capabilities.local &= of_member.local;
        }
        let member = |(index, model)| Member { is_first: index == 0, model, rest: Mutex::new(None) };
        let models = models.into_iter().enumerate().map(member).collect();
        Ok(Self { id, capabilities, models, order, notes })
    }

    /// The models in the order in which they are asked.
    fn route(&self, request: &ChatRequest) -> Vec<&Member> {
        let need = expected(request, 0);
        let mut fit = Vec::new();
        for member in &self.models {
            match lacks(member.model.model.capabilities(), request, need.total()) {
                None => fit.push(member),
                Some(why) => {
                    tracing::debug!("`{}` {why}, so another model is asked", member.model.model.id());
                }
            }
        }
        if fit.is_empty() {
            // The provider may know better than its table.
            fit = self.models.iter().collect();
        }
        if self.order == RouteOrder::Cheapest {
            let cost = |member: &&Member| match &member.model.price {
                _ if member.model.model.capabilities().local => 0,
                Some(price) => price.expected(need.input, need.output),
                None => u64::MAX,
            };
            fit.sort_by_key(cost);
        }
        fit.sort_by_key(|member| !enforces(member.model.model.capabilities(), request));
        let (now, best) = (Instant::now(), fit.first().copied());
        fit.sort_by_key(|member| member.is_resting(now));
        if let (Some(best), Some(first)) = (best, fit.first()) {
            self.tell_rest(best, first, now);
        }
        fit
    }

    /// Notes that a model is passed over while it rests, once for each rest.
    fn tell_rest(&self, best: &Member, asked: &Member, now: Instant) {
        let mut rest = best.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rest) = rest.as_mut().filter(|rest| now < rest.end && !rest.is_told) else { return };
        if std::ptr::eq(best, asked) {
            return;
        }
        rest.is_told = true;
        let (id, next) = (best.model.model.id(), asked.model.model.id());
        let left = (rest.end - now).as_secs_f32().ceil();
        let message =
            format!("`{next}` is asked in the place of `{id}`, which failed and is asked last for {left} s more");
        self.notes.add(Note { model: id.to_string(), kind: NoteKind::FellBack, message });
    }

    async fn run<T, F>(&self, request: &ChatRequest, call: F) -> Result<T, ModelError>
    where
        F: for<'m> Fn(&'m Arc<dyn ChatModel>) -> BoxFuture<'m, Result<T, ModelError>> + Send,
        T: Send,
    {
        let mut failed: Option<(ModelId, ModelError)> = None;
        for member in self.route(request) {
            if let Some((id, error)) = &failed {
                if !member.takes_over(error) {
                    continue;
                }
                let next = member.model.model.id();
                let message = format!("`{next}` is asked in the place of `{id}`: {error}");
                self.notes.add(Note { model: id.to_string(), kind: NoteKind::FellBack, message });
            }
            match call(&member.model.model).await {
                Ok(value) => {
                    if !member.is_first {
                        stand_in::answered();
                    }
                    return Ok(value);
                }
                Err(error) => {
                    if FallbackOn::Unavailable.takes(&error) && error.is_retryable() {
                        member.rest();
                    }
                    failed = Some((member.model.model.id().clone(), error));
                }
            }
        }
        let internal = || ModelError::Internal { model: self.id.to_string(), message: "no model was asked".to_owned() };
        Err(failed.map_or_else(internal, |(_, error)| error))
    }
}

impl Member {
    fn is_resting(&self, now: Instant) -> bool {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|rest| now < rest.end)
    }

    fn rest(&self) {
        let rest = Rest { end: Instant::now() + REST, is_told: false };
        *self.rest.lock().unwrap_or_else(PoisonError::into_inner) = Some(rest);
    }

    /// Whether this model is asked after a failure of another one. The first one is there for itself, and comes later only
    /// where it rests, costs more or enforces less; then it is there for what every other one is there for.
    fn takes_over(&self, error: &ModelError) -> bool {
        let on = if self.is_first { FallbackOn::Unavailable } else { self.model.on };
        on.takes(error)
    }
}

#[async_trait]
impl ChatModel for Fallback {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.run(&request, |model| model.chat(request.clone())).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        self.run(&request, |model| Box::pin(begun(model.stream(request.clone())))).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.run(&request, |model| {
            let (request, options) = (request.clone(), options.to_vec());
            Box::pin(async move { model.choose(request, &options).await })
        })
        .await
    }
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<String> = self.models.iter().map(|member| member.model.model.id().to_string()).collect();
        f.debug_struct("Fallback").field("models", &ids).field("order", &self.order).finish_non_exhaustive()
    }
}

impl fmt::Debug for FallbackModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FallbackModel")
            .field("model", self.model.id())
            .field("on", &self.on)
            .field("price", &self.price)
            .finish()
    }
}
