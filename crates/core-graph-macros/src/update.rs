//! The update type: one slot per field, and the methods that fill them.
//!
//! A last value has the slot `Option<T>`. A reducer's slot is a pair: a replacement, which comes first, and what is
//! folded on top of it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use crate::model::{FieldModel, Fold, StateModel, is_number};

pub(crate) fn expand(model: &StateModel<'_>) -> TokenStream {
    let StateModel { visibility, name, update_name, generics, fields, .. } = model;
    let (parameters, arguments, conditions) = model.bounded.split_for_impl();
    let slots = fields.iter().map(slot);
    let methods = fields.iter().map(|field| methods(model, field));
    let defined_for = &generics.where_clause;
    let title = format!("A partial change of [`{name}`]: what is not mentioned stays as it is.");
    let serialize = serialize(model);
    let debug = debug(model);
    quote! {
        #[doc = #title]
        ///
        /// Within one update, the methods of a field with a reducer fold in the order of their calls. A `replace_`
        /// method drops what the update held for its field before, and what comes later is folded on top.
        #[must_use = "an update changes nothing until a node returns it or a run takes it"]
        #[derive(::core::clone::Clone, ::core::default::Default)]
        #visibility struct #update_name #generics #defined_for {
            #(#slots,)*
        }

        #[automatically_derived]
        impl #parameters #update_name #arguments #conditions {
            #(#methods)*
        }

        #serialize
        #debug
    }
}

/// The types of what folds, and of the pair around it.
fn slot(field: &FieldModel<'_>) -> TokenStream {
    let (name, ty) = (field.method(""), field.ty);
    match &field.fold {
        Fold::Last => quote!(#name: ::core::option::Option<#ty>),
        _ => {
            let folded = folded_type(field);
            quote!(#name: (::core::option::Option<#ty>, #folded))
        }
    }
}

/// The type of a reducer's second half.
pub(crate) fn folded_type(field: &FieldModel<'_>) -> TokenStream {
    let ty = field.ty;
    match &field.fold {
        Fold::Last | Fold::Add { .. } => quote!(::core::option::Option<#ty>),
        Fold::Append(entry) => quote!(::std::vec::Vec<#entry>),
        Fold::Merge(key, value) => quote!(::std::vec::Vec<(#key, #value)>),
        Fold::With(_, change) => quote!(::std::vec::Vec<#change>),
    }
}

/// Whether a reducer's second half holds anything.
pub(crate) fn has_folds(field: &FieldModel<'_>, update: &TokenStream) -> TokenStream {
    let name = field.method("");
    match &field.fold {
        Fold::Add { .. } => quote!(#update.#name.1.is_some()),
        _ => quote!(!#update.#name.1.is_empty()),
    }
}

/// The sum of two numbers of an `add` field.
pub(crate) fn sum(field: &FieldModel<'_>, one: &TokenStream, other: &TokenStream) -> TokenStream {
    let ty = field.ty;
    match &field.fold {
        Fold::Add { integer: true } => quote!(<#ty>::saturating_add(#one, #other)),
        _ => quote!(#one + #other),
    }
}

fn methods(model: &StateModel<'_>, field: &FieldModel<'_>) -> TokenStream {
    let visibility = model.visibility;
    let (name, ty) = (field.method(""), field.ty);
    let shown = &field.name;
    let (doc, parameter, body) = match &field.fold {
        Fold::Last => {
            let (taken, value) = (taken(ty), converted(ty, &quote!(value)));
            (
                format!("Sets `{shown}`. A later call overwrites an earlier one."),
                quote!(value: #taken),
                quote!(self.#name = ::core::option::Option::Some(#value);),
            )
        }
        Fold::Append(entry) => {
            let (taken, value) = (taken(entry), converted(entry, &quote!(entry)));
            (
                format!("Appends to `{shown}`, after what this update holds for it already."),
                quote!(entries: impl ::core::iter::IntoIterator<Item = #taken>),
                quote!(self.#name.1.extend(::core::iter::IntoIterator::into_iter(entries).map(|entry| #value));),
            )
        }
        Fold::Merge(key, value) => {
            let taken = (taken(key), taken(value));
            let (taken_key, taken_value) = &taken;
            let (key, value) = (converted(key, &quote!(key)), converted(value, &quote!(value)));
            let entries = quote!(::core::iter::IntoIterator::into_iter(entries));
            (
                format!("Inserts entries into `{shown}`. An entry replaces an earlier one of its key."),
                quote!(entries: impl ::core::iter::IntoIterator<Item = (#taken_key, #taken_value)>),
                quote!(self.#name.1.extend(#entries.map(|(key, value)| (#key, #value)));),
            )
        }
        Fold::Add { integer } => {
            let limit = if *integer { ", and the sum stops at the limits of its type" } else { "" };
            let sum = sum(field, &quote!(sum), &quote!(difference));
            (
                format!("Adds to `{shown}`. Several calls add up{limit}."),
                quote!(difference: #ty),
                quote! {
                    self.#name.1 = ::core::option::Option::Some(match self.#name.1 {
                        ::core::option::Option::Some(sum) => #sum,
                        ::core::option::Option::None => difference,
                    });
                },
            )
        }
        Fold::With(_, change) => (
            format!("Folds a change into `{shown}`, after those that this update holds for it already."),
            quote!(change: #change),
            quote!(self.#name.1.push(change);),
        ),
    };
    let replace = (!field.is_last()).then(|| replace_method(model, field));
    quote_spanned! {name.span()=>
        #[doc = #doc]
        #visibility fn #name(mut self, #parameter) -> Self {
            #body
            self
        }
        #replace
    }
}

fn replace_method(model: &StateModel<'_>, field: &FieldModel<'_>) -> TokenStream {
    let visibility = model.visibility;
    let (name, method) = (field.method(""), field.method("replace_"));
    let (taken, value) = (taken(field.ty), converted(field.ty, &quote!(value)));
    let doc = format!(
        "Replaces `{0}` as a whole. What this update held for `{0}` is dropped, and what it is given later comes on top.",
        field.name
    );
    quote! {
        #[doc = #doc]
        #visibility fn #method(mut self, value: #taken) -> Self {
            self.#name = (::core::option::Option::Some(#value), ::core::default::Default::default());
            self
        }
    }
}

/// What a method takes for a value of a type. A number is taken as it is, for a literal would not know what to become.
fn taken(ty: &Type) -> TokenStream {
    if is_number(ty) { quote!(#ty) } else { quote_spanned!(ty.span()=> impl ::core::convert::Into<#ty>) }
}

fn converted(ty: &Type, value: &TokenStream) -> TokenStream {
    if is_number(ty) { value.clone() } else { quote!(::core::convert::Into::into(#value)) }
}

/// An update is written as a map of what it holds, under the names of its methods. Untracked fields are left out.
fn serialize(model: &StateModel<'_>) -> TokenStream {
    let StateModel { core, update_name, fields, .. } = model;
    let (parameters, arguments, conditions) = model.bounded.split_for_impl();
    let serde = quote!(#core::__private::serde);
    let update = quote!(self);
    let (mut counts, mut writes) = (Vec::new(), Vec::new());
    for field in fields.iter().filter(|field| !field.untracked) {
        let (name, shown) = (field.method(""), &field.name);
        let (whole, key) = if field.is_last() {
            (quote!(self.#name), shown.clone())
        } else {
            (quote!(self.#name.0), format!("replace_{shown}"))
        };
        counts.push(quote!(usize::from(#whole.is_some())));
        writes.push(quote! {
            if let ::core::option::Option::Some(value) = &#whole {
                #serde::ser::SerializeStruct::serialize_field(&mut map, #key, value)?;
            }
        });
        if field.is_last() {
            continue;
        }
        let has_folds = has_folds(field, &update);
        counts.push(quote!(usize::from(#has_folds)));
        writes.push(quote! {
            if #has_folds {
                #serde::ser::SerializeStruct::serialize_field(&mut map, #shown, &self.#name.1)?;
            }
        });
    }
    let shown = update_name.to_string();
    quote! {
        #[automatically_derived]
        impl #parameters #serde::Serialize for #update_name #arguments #conditions {
            fn serialize<__S: #serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                let length: usize = 0 #(+ #counts)*;
                let mut map = #serde::Serializer::serialize_struct(serializer, #shown, length)?;
                #(#writes)*
                #serde::ser::SerializeStruct::end(map)
            }
        }
    }
}

/// Fields need not be `Debug`, but they are serialisable: an update shows itself as JSON where its keys allow.
fn debug(model: &StateModel<'_>) -> TokenStream {
    let StateModel { core, update_name, .. } = model;
    let (parameters, arguments, conditions) = model.bounded.split_for_impl();
    let shown = update_name.to_string();
    quote! {
        #[automatically_derived]
        impl #parameters ::core::fmt::Debug for #update_name #arguments #conditions {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match #core::__private::serde_json::to_string(self) {
                    ::core::result::Result::Ok(json) => ::core::write!(formatter, "{} {}", #shown, json),
                    ::core::result::Result::Err(_) => formatter.debug_struct(#shown).finish_non_exhaustive(),
                }
            }
        }
    }
}
