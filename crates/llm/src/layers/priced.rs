//! A model whose answers state what they cost.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;

use crate::prices::Price;
use crate::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Usage,
};

/// Adds the cost of each answer to its [`Usage`], by a price. A cost that the provider states itself stays. Without a price
/// the cost stays open.
pub struct Priced {
    price: Option<Price>,
    inner: Arc<dyn ChatModel>,
}

impl Priced {
    /// Prices the answers of `inner`; `None` where the price is not known.
    pub fn new(inner: Arc<dyn ChatModel>, price: Option<Price>) -> Self {
        Self { price, inner }
    }
}

fn add_cost(usage: &mut Usage, price: Option<&Price>) {
    usage.cost = usage.cost.or_else(|| price?.cost(usage));
}

#[async_trait]
impl ChatModel for Priced {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let mut response = self.inner.chat(request).await?;
        add_cost(&mut response.usage, self.price.as_ref());
        Ok(response)
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let stream = self.inner.stream(request).await?;
        let price = self.price.clone();
        Ok(stream
            .map(move |mut event| {
                if let Ok(ChatEvent::Done(response)) = &mut event {
                    add_cost(&mut response.usage, price.as_ref());
                }
                event
            })
            .boxed())
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let mut choice = self.inner.choose(request, options).await?;
        add_cost(&mut choice.usage, self.price.as_ref());
        Ok(choice)
    }
}

impl fmt::Debug for Priced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Priced").field("model", self.inner.id()).field("price", &self.price).finish()
    }
}
