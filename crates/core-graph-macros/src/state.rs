//! The implementation of `State`: the field table, folding, and the encoded form of fields and updates.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::model::{FieldModel, Fold, StateModel};
use crate::update::{folded_type, has_folds, sum};

pub(crate) fn expand(model: &StateModel<'_>) -> TokenStream {
    let StateModel { core, name, update_name, fields, .. } = model;
    let (parameters, arguments, conditions) = model.bounded.split_for_impl();
    let result = quote!(::core::result::Result);
    let error = quote!(#core::StateError);
    let (count, entries) = (fields.len(), fields.iter().map(|field| table_entry(model, field)));
    let written = fields.iter().map(written);
    let applied = fields.iter().map(|field| applied(model, field));
    let checked = checked(model);
    let tracked = || fields.iter().filter(|field| !field.untracked);
    let encoded = tracked().map(|field| encoded(model, field));
    let decoded = fields.iter().map(|field| decoded(model, field));
    let saved = tracked().map(|field| {
        let (index, ident, shown) = (field.index, field.ident, &field.name);
        quote!(#index => #core::__private::codec::encode(#shown, &self.#ident),)
    });
    let loaded = fields.iter().map(|field| {
        let (index, ident, shown) = (field.index, field.ident, &field.name);
        if field.untracked {
            return quote!(#index => #result::Ok(()),);
        }
        quote!(#index => {
            self.#ident = #core::__private::codec::decode(#shown, bytes)?;
            #result::Ok(())
        })
    });
    let mut replaced = fields.iter().filter(|field| !field.is_last()).map(replaced).peekable();
    let replaced = replaced.peek().is_some().then(|| {
        quote! {
            fn replaced(_: &(), update: &Self::Update, fields: &mut #core::fields::FieldSet) {
                #(#replaced)*
            }
        }
    });
    let reset = fields.iter().map(|field| {
        let (index, ident) = (field.index, field.ident);
        quote!(#index => self.#ident = initial.#ident,)
    });
    let not_stored = format!("`{name}` stores no field of this index");
    quote! {
        #[automatically_derived]
        impl #parameters #core::State for #name #arguments #conditions {
            type Update = #update_name #arguments;
            type Layout = ();

            fn initial(_: &()) -> Self {
                ::core::default::Default::default()
            }

            fn fields(_: &()) -> &[#core::fields::Field] {
                #checked
                static FIELDS: [#core::fields::Field; #count] = [#(#entries,)*];
                &FIELDS
            }

            fn written(_: &(), update: &Self::Update, fields: &mut #core::fields::FieldSet) {
                #(#written)*
            }

            #replaced

            fn apply(&mut self, _: &(), update: Self::Update, changed: &mut #core::fields::FieldSet) {
                #(#applied)*
            }

            fn add_encoded(
                _: &(),
                update: &Self::Update,
                changes: &mut ::std::vec::Vec<#core::fields::FieldChange>,
            ) -> #result<(), #error> {
                fn change<__V: #core::__private::serde::Serialize + ?::core::marker::Sized>(
                    field: u32,
                    name: &str,
                    op: #core::fields::Op,
                    value: &__V,
                ) -> #result<#core::fields::FieldChange, #error> {
                    let bytes = #core::__private::codec::encode_in_place(name, value)?;
                    #result::Ok(#core::fields::FieldChange { field, op, bytes })
                }
                #(#encoded)*
                #result::Ok(())
            }

            fn decode_update(_: &(), changes: &[#core::fields::FieldChange]) -> #result<Self::Update, #error> {
                let mut update = <Self::Update as ::core::default::Default>::default();
                for change in changes {
                    match (change.field, change.op) {
                        #(#decoded)*
                        (field, op) => return #result::Err(#error {
                            field: ::std::string::ToString::to_string(&field),
                            action: "decoded",
                            message: ::std::format!("{} that takes `{:?}`", #not_stored, op),
                        }),
                    }
                }
                #result::Ok(update)
            }

            fn save(&self, _: &(), field: usize) -> #result<::std::vec::Vec<u8>, #error> {
                match field {
                    #(#saved)*
                    other => #result::Err(#error {
                        field: ::std::string::ToString::to_string(&other),
                        action: "encoded",
                        message: ::std::string::String::from(#not_stored),
                    }),
                }
            }

            fn load(&mut self, _: &(), field: usize, bytes: &[u8]) -> #result<(), #error> {
                match field {
                    #(#loaded)*
                    other => #result::Err(#error {
                        field: ::std::string::ToString::to_string(&other),
                        action: "decoded",
                        message: ::std::string::String::from(#not_stored),
                    }),
                }
            }

            fn reset(&mut self, _: &(), field: usize) {
                let initial = <Self as ::core::default::Default>::default();
                match field {
                    #(#reset)*
                    _ => {}
                }
            }
        }
    }
}

/// Has the compiler refuse a `Log` and a `Table` whose last value would stay. Only the compiler knows the types behind
/// aliases.
fn checked(model: &StateModel<'_>) -> Option<TokenStream> {
    let core = &model.core;
    let checks = quote!(#core::__private::checks);
    let last = model.fields.iter().filter(|field| field.is_last() && !field.any);
    let mut last = last
        .map(|field| {
            let ty = field.ty;
            quote_spanned!(ty.span()=> #checks::last_value(<#checks::Probe<#ty>>::LOG, <#checks::Probe<#ty>>::TABLE);)
        })
        .peekable();
    last.peek().is_some().then(|| {
        quote! {
            const {
                use #checks::OtherField as _;
                #(#last)*
            }
        }
    })
}

fn table_entry(model: &StateModel<'_>, field: &FieldModel<'_>) -> TokenStream {
    let (core, shown) = (&model.core, &field.name);
    let kind = if field.is_last() && !field.any { quote!(Last) } else { quote!(Reducer) };
    let stored = match (field.untracked, field.deltas) {
        (true, _) => quote!(Never),
        (false, true) if matches!(field.fold, Fold::Append(_)) => quote!(Additions),
        (false, true) => quote!(Deltas),
        (false, false) => quote!(Whole),
    };
    let ephemeral = field.ephemeral.then(|| quote!(.ephemeral()));
    // Keys of a `merge` are compared by functions of the program.
    let is_sure = matches!(field.fold, Fold::Last | Fold::Append(_) | Fold::Add { .. });
    let sure = is_sure.then(|| quote!(.sure()));
    let form = |form: TokenStream| quote!(.json(#core::fields::JsonForm::#form));
    let json = match field.fold {
        Fold::Last => field.any.then(|| form(quote!(Set))),
        Fold::Append(_) | Fold::Add { .. } => Some(form(quote!(Fold))),
        Fold::Merge(..) => Some(form(quote!(FoldEntries))),
        Fold::With(..) => None,
    };
    quote!(#core::fields::Field::new(#shown, #core::fields::FieldKind::#kind, #core::fields::Stored::#stored) #ephemeral #sure #json)
}

fn written(field: &FieldModel<'_>) -> TokenStream {
    let (index, name) = (field.index, field.method(""));
    let any = if field.is_last() {
        quote!(update.#name.is_some())
    } else {
        let has_folds = has_folds(field, &quote!(update));
        quote!(update.#name.0.is_some() || #has_folds)
    };
    quote! {
        if #any {
            fields.insert(#index);
        }
    }
}

fn replaced(field: &FieldModel<'_>) -> TokenStream {
    let (index, name) = (field.index, field.method(""));
    quote! {
        if update.#name.0.is_some() {
            fields.insert(#index);
        }
    }
}

fn applied(model: &StateModel<'_>, field: &FieldModel<'_>) -> TokenStream {
    let core = &model.core;
    let (index, name, ident, ty) = (field.index, field.method(""), field.ident, field.ty);
    let fold = match &field.fold {
        Fold::Last => {
            return quote! {
                if let ::core::option::Option::Some(value) = update.#name {
                    self.#ident = value;
                    changed.insert(#index);
                }
            };
        }
        Fold::Append(_) | Fold::Merge(..) => quote!(::core::iter::Extend::extend(&mut self.#ident, folded);),
        Fold::Add { integer } => {
            let add = if *integer {
                quote!(self.#ident = <#ty>::saturating_add(self.#ident, difference);)
            } else {
                quote!(self.#ident += difference;)
            };
            quote! {
                if let ::core::option::Option::Some(difference) = folded {
                    #add
                }
            }
        }
        Fold::With(path, change) => {
            quote_spanned!(path.span()=> #core::__private::checks::fold::<_, #ty, #change, _>(&#path, &mut self.#ident, folded);)
        }
    };
    let has_folds = has_folds(field, &quote!(update));
    quote! {
        let has_folds = #has_folds;
        let (replacement, folded) = update.#name;
        if let ::core::option::Option::Some(value) = replacement {
            self.#ident = value;
            changed.insert(#index);
        }
        if has_folds {
            #fold
            changed.insert(#index);
        }
    }
}

fn encoded(model: &StateModel<'_>, field: &FieldModel<'_>) -> TokenStream {
    let (core, name, shown) = (&model.core, field.method(""), &field.name);
    let index = number(field);
    let whole = if field.is_last() { quote!(update.#name) } else { quote!(update.#name.0) };
    let folds = (!field.is_last()).then(|| {
        let has_folds = has_folds(field, &quote!(update));
        // A number is written bare: the reader knows that a fold holds one.
        quote! {
            if #has_folds {
                changes.push(change(#index, #shown, #core::fields::Op::Fold, &update.#name.1)?);
            }
        }
    });
    quote! {
        if let ::core::option::Option::Some(value) = &#whole {
            changes.push(change(#index, #shown, #core::fields::Op::Set, value)?);
        }
        #folds
    }
}

fn decoded(model: &StateModel<'_>, field: &FieldModel<'_>) -> TokenStream {
    let (core, name, shown, ty) = (&model.core, field.method(""), &field.name, field.ty);
    let index = number(field);
    if field.untracked {
        // Stored by an older version of the state, which tracked it.
        return quote!((#index, _) => {});
    }
    let decode = quote!(#core::__private::codec::decode);
    let set = quote!(::core::option::Option::Some(#decode::<#ty>(#shown, &change.bytes)?));
    let fold = match &field.fold {
        Fold::Last => return quote!((#index, #core::fields::Op::Set) => update.#name = #set,),
        Fold::Add { .. } => {
            let sum = sum(field, &quote!(sum), &quote!(difference));
            quote! {{
                let difference = #decode::<#ty>(#shown, &change.bytes)?;
                update.#name.1 = ::core::option::Option::Some(match update.#name.1 {
                    ::core::option::Option::Some(sum) => #sum,
                    ::core::option::Option::None => difference,
                });
            }}
        }
        _ => {
            let folded = folded_type(field);
            quote!(update.#name.1.extend(#decode::<#folded>(#shown, &change.bytes)?))
        }
    };
    quote! {
        (#index, #core::fields::Op::Set) => update.#name = (#set, ::core::default::Default::default()),
        (#index, #core::fields::Op::Fold) => #fold,
    }
}

/// The field's index as changes carry it. A struct with more fields than that does not compile.
fn number(field: &FieldModel<'_>) -> TokenStream {
    let index = proc_macro2::Literal::u32_suffixed(u32::try_from(field.index).unwrap_or(u32::MAX));
    quote!(#index)
}
