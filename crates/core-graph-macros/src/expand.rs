//! What the derive writes, put together.
//!
//! It leans on these names of the core crate: `State`, `Step`, `Field`, `FieldKind`, `Stored`, `FieldSet`,
//! `FieldChange`, `Op`, `StateError`, and in `__private` the modules `checks`, `codec`, `keep`, `serde`, `serde_json` and
//! `schemars`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result};

use crate::model::StateModel;
use crate::{state, update};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let model = StateModel::new(input)?;
    let StateModel { core, visibility, name, update_name, .. } = &model;
    let (parameters, arguments, conditions) = model.bounded.split_for_impl();
    let update = update::expand(&model);
    let state = state::expand(&model);
    let start = format!("Starts an update of [`{name}`] that writes nothing yet.");
    Ok(quote! {
        #update
        #state

        #[automatically_derived]
        impl #parameters #name #arguments #conditions {
            #[doc = #start]
            #visibility fn update() -> #update_name #arguments {
                ::core::default::Default::default()
            }
        }

        #[automatically_derived]
        impl #parameters ::core::convert::From<#update_name #arguments> for #core::Step<#name #arguments> #conditions {
            fn from(update: #update_name #arguments) -> Self {
                #core::Step::update(update)
            }
        }
    })
}
