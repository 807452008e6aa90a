//! The long-term store around another.

use async_trait::async_trait;
use graphloom_core_graph::store::{
    Comparison, Condition, Expected, Item, Namespace, NamespaceFilter, PutOptions, Query, Store, StoreError, check_item,
};
use serde_json::{Value, json};

use crate::Encrypted;
use crate::seal::Place;

/// The one member of a stored value.
const SEALED: &str = "sealed";
/// Items that are read at a time to look for values.
const PAGE: usize = 256;

fn place(namespace: &Namespace, key: &str) -> Place {
    let mut parts: Vec<(&str, &str)> = namespace.segments().iter().map(|part| ("segment", part.as_str())).collect();
    parts.push(("key", key));
    Place::new("item", &parts)
}

impl<S> Encrypted<S> {
    fn seal_value(&self, namespace: &Namespace, key: &str, value: &Value) -> Result<Value, StoreError> {
        check_item(key, value)?;
        Ok(json!({ SEALED: self.keys.seal_text(&place(namespace, key), &value.to_string())? }))
    }

    fn open_item(&self, item: Item) -> Result<Item, StoreError> {
        let place = place(&item.namespace, &item.key);
        // A value of another form was never encrypted.
        let sealed = item.value.get(SEALED).and_then(Value::as_str).unwrap_or_default();
        let value =
            serde_json::from_str(&self.keys.open_text(&place, sealed)?).map_err(|error| StoreError::Corrupt {
                place: format!("item `{}` of `{}`", item.key, item.namespace),
                message: error.to_string(),
            })?;
        Ok(Item { value, ..item })
    }
}

#[async_trait]
impl<S: Store> Store for Encrypted<S> {
    async fn put(&self, namespace: &Namespace, key: &str, value: Value, options: PutOptions) -> Result<(), StoreError> {
        let sealed = self.seal_value(namespace, key, &value)?;
        self.inner.put(namespace, key, sealed, options).await
    }

    async fn put_if(
        &self,
        namespace: &Namespace,
        key: &str,
        value: Value,
        options: PutOptions,
        expected: &Expected,
    ) -> Result<bool, StoreError> {
        let sealed = self.seal_value(namespace, key, &value)?;
        // What is there is compared here, and that it is still the same there: no two ciphertexts are equal.
        loop {
            let there = self.inner.get(namespace, key).await?;
            let unchanged = match &there {
                None => Expected::Absent,
                Some(item) => Expected::Holds(Condition::new(
                    SEALED,
                    Comparison::Eq,
                    item.value.get(SEALED).cloned().unwrap_or_default(),
                )),
            };
            let opened = there.map(|item| self.open_item(item)).transpose()?;
            if !expected.is_met_by(opened.as_ref().map(|item| &item.value)) {
                return Ok(false);
            }
            if self.inner.put_if(namespace, key, sealed.clone(), options, &unchanged).await? {
                return Ok(true);
            }
        }
    }

    async fn get(&self, namespace: &Namespace, key: &str) -> Result<Option<Item>, StoreError> {
        self.inner.get(namespace, key).await?.map(|item| self.open_item(item)).transpose()
    }

    async fn delete(&self, namespace: &Namespace, key: &str) -> Result<bool, StoreError> {
        self.inner.delete(namespace, key).await
    }

    async fn query(&self, query: &Query) -> Result<Vec<Item>, StoreError> {
        if query.conditions.is_empty() {
            let items = self.inner.query(query).await?;
            return items.into_iter().map(|item| self.open_item(item)).collect();
        }
        let (mut found, mut skip, mut offset) = (Vec::new(), query.offset, 0);
        while found.len() < query.limit {
            let page = self.inner.query(&Query::below(query.prefix.clone()).limit(PAGE).offset(offset)).await?;
            offset += page.len();
            let last = page.len() < PAGE;
            for item in page {
                let item = self.open_item(item)?;
                if found.len() >= query.limit || !query.conditions.iter().all(|condition| condition.holds(&item.value))
                {
                } else if skip > 0 {
                    skip -= 1;
                } else {
                    found.push(item);
                }
            }
            if last {
                break;
            }
        }
        Ok(found)
    }

    async fn list_namespaces(&self, filter: &NamespaceFilter) -> Result<Vec<Namespace>, StoreError> {
        self.inner.list_namespaces(filter).await
    }

    async fn sweep(&self) -> Result<u64, StoreError> {
        self.inner.sweep().await
    }
}
