//! What a state is made of: its fields and how each is folded.

use std::collections::BTreeMap;

use proc_macro2::Span;
use quote::format_ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Data, DeriveInput, Error, ExprPath, Fields, GenericArgument, GenericParam, Generics, Ident, Path, PathArguments,
    PathSegment, Result, Type, TypeParamBound, Visibility, parse_quote,
};

use crate::attributes::{FieldAttributes, StructAttributes};

/// A struct that becomes a state.
pub(crate) struct StateModel<'a> {
    pub(crate) core: Path,
    pub(crate) visibility: &'a Visibility,
    pub(crate) name: &'a Ident,
    pub(crate) update_name: Ident,
    /// The struct's own generics, for the update's definition.
    pub(crate) generics: &'a Generics,
    /// The same with what a state asks of its parts, for implementations.
    pub(crate) bounded: Generics,
    pub(crate) fields: Vec<FieldModel<'a>>,
}

/// A field of a state.
pub(crate) struct FieldModel<'a> {
    pub(crate) index: usize,
    pub(crate) ident: &'a Ident,
    /// The name as text, without `r#`.
    pub(crate) name: String,
    pub(crate) ty: &'a Type,
    pub(crate) fold: Fold,
    /// Whether a last value takes any number of writers.
    pub(crate) any: bool,
    pub(crate) deltas: bool,
    pub(crate) ephemeral: bool,
    pub(crate) untracked: bool,
}

/// How updates of a field fold.
pub(crate) enum Fold {
    /// The last value stays.
    Last,
    /// Entries are appended to a `Log` of this type.
    Append(Type),
    /// Entries are inserted into a `Table` of these types.
    Merge(Type, Type),
    /// Numbers are added; integers stop at their limits.
    Add { integer: bool },
    /// A function of the user folds values of this type.
    With(ExprPath, Type),
}

impl<'a> StateModel<'a> {
    pub(crate) fn new(input: &'a DeriveInput) -> Result<Self> {
        let core = StructAttributes::parse(&input.attrs)?.core;
        let Data::Struct(data) = &input.data else {
            return Err(Error::new(
                input.ident.span(),
                "a state is a struct with named fields; put the enum or union into a field of one",
            ));
        };
        let Fields::Named(named) = &data.fields else {
            return Err(Error::new(
                input.ident.span(),
                "a state is a struct with named fields, since updates and stores know its fields by name; name them",
            ));
        };
        let fields =
            collect(named.named.iter().enumerate().map(|(index, field)| FieldModel::new(&core, index, field)))?;
        check_methods(&fields)?;
        Ok(Self {
            bounded: bounded(&core, &input.generics)?,
            core,
            visibility: &input.vis,
            name: &input.ident,
            update_name: format_ident!(
                "{}Update",
                input.ident.unraw(),
                span = Span::call_site().located_at(input.ident.span())
            ),
            generics: &input.generics,
            fields,
        })
    }
}

impl<'a> FieldModel<'a> {
    fn new(core: &Path, index: usize, field: &'a syn::Field) -> Result<Self> {
        let attributes = FieldAttributes::parse(&field.attrs)?;
        let Some(ident) = &field.ident else { return Err(Error::new(field.span(), "this field has no name")) };
        let ty = &field.ty;
        let ephemeral = attributes.ephemeral.is_some();
        let deltas = !ephemeral && (attributes.append.or(attributes.merge).or(attributes.deltas)).is_some();
        let fold = if attributes.append.is_some() {
            Fold::Append(entry_type(ty)?)
        } else if attributes.merge.is_some() {
            let (key, value) = key_and_value(ty)?;
            Fold::Merge(key, value)
        } else if attributes.add.is_some() {
            Fold::Add { integer: is_integer(ty)? }
        } else if attributes.max.is_some() || attributes.min.is_some() {
            let greatest = attributes.max.is_some();
            let keep: Path = parse_quote!(#core::__private::keep);
            match arguments(ty, "Option").as_deref() {
                Some([inner]) => Fold::With(parse_quote!(#keep::in_some::<#inner, #greatest>), (*inner).clone()),
                _ => Fold::With(parse_quote!(#keep::in_value::<#ty, #greatest>), ty.clone()),
            }
        } else if let Some((_, path)) = attributes.reduce_with {
            Fold::With(path, attributes.update.map_or_else(|| ty.clone(), |(_, update)| update))
        } else {
            Fold::Last
        };
        let (untracked, any) = (attributes.untracked.is_some(), attributes.any.is_some());
        Ok(Self { index, ident, name: ident.unraw().to_string(), ty, fold, any, deltas, ephemeral, untracked })
    }

    /// The name of a method for this field. It points at the field, but is the macro's, so that lints on unused code
    /// leave it alone.
    pub(crate) fn method(&self, prefix: &str) -> Ident {
        let span = Span::call_site().located_at(self.ident.span());
        if prefix.is_empty() {
            let mut ident = self.ident.clone();
            ident.set_span(span);
            return ident;
        }
        format_ident!("{prefix}{}", self.name, span = span)
    }

    pub(crate) fn is_last(&self) -> bool {
        matches!(self.fold, Fold::Last)
    }
}

/// Whether a type is a primitive number, which literals name without a suffix only where no conversion is asked.
pub(crate) fn is_number(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| integer_name(segment) || float_name(segment))
}

/// Gathers results, or all errors.
fn collect<T>(results: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut errors: Option<Error> = None;
    let mut values = Vec::new();
    for result in results {
        match (result, &mut errors) {
            (Ok(value), _) => values.push(value),
            (Err(error), Some(errors)) => errors.combine(error),
            (Err(error), None) => errors = Some(error),
        }
    }
    errors.map_or(Ok(values), Err)
}

/// Refuses a field whose method would have the name of another's `replace_` method.
fn check_methods(fields: &[FieldModel<'_>]) -> Result<()> {
    let reducers: BTreeMap<String, &str> = fields
        .iter()
        .filter(|field| !field.is_last())
        .map(|field| (format!("replace_{}", field.name), field.name.as_str()))
        .collect();
    collect(fields.iter().map(|field| match reducers.get(&field.name) {
        None => Ok(()),
        Some(reducer) => Err(Error::new(
            field.ident.span(),
            format!("the update has a method `{}` already, which replaces `{reducer}`; rename this field", field.name),
        )),
    }))
    .map(drop)
}

/// The generics with what a state asks of its type parameters.
fn bounded(core: &Path, generics: &Generics) -> Result<Generics> {
    let mut bounded = generics.clone();
    for parameter in &mut bounded.params {
        match parameter {
            GenericParam::Lifetime(lifetime) => {
                return Err(Error::new(
                    lifetime.span(),
                    "a state owns its data, as it outlives the run that made it; use owned types or `Shared<T>`",
                ));
            }
            GenericParam::Const(_) => {}
            GenericParam::Type(parameter) => {
                let bounds: [TypeParamBound; 8] = [
                    parse_quote!(::core::clone::Clone),
                    parse_quote!(::core::default::Default),
                    parse_quote!(::core::marker::Send),
                    parse_quote!(::core::marker::Sync),
                    parse_quote!(#core::__private::serde::Serialize),
                    parse_quote!(#core::__private::serde::de::DeserializeOwned),
                    parse_quote!(#core::__private::schemars::JsonSchema),
                    parse_quote!('static),
                ];
                parameter.bounds.extend(bounds);
            }
        }
    }
    Ok(bounded)
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

/// The type arguments of a type whose last path segment has this name.
fn arguments<'t>(ty: &'t Type, name: &str) -> Option<Vec<&'t Type>> {
    let segment = last_segment(ty).filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    Some(
        arguments
            .args
            .iter()
            .filter_map(|argument| if let GenericArgument::Type(ty) = argument { Some(ty) } else { None })
            .collect(),
    )
}

fn entry_type(ty: &Type) -> Result<Type> {
    match arguments(ty, "Log").as_deref() {
        Some([entry]) => Ok((*entry).clone()),
        _ => Err(Error::new_spanned(
            ty,
            "`append` needs a `Log<T>`, which a snapshot shares without a copy; use `Log` here",
        )),
    }
}

fn key_and_value(ty: &Type) -> Result<(Type, Type)> {
    match arguments(ty, "Table").as_deref() {
        Some([key, value]) => Ok(((*key).clone(), (*value).clone())),
        _ => Err(Error::new_spanned(
            ty,
            "`merge` needs a `Table<K, V>`, which a snapshot shares without a copy; use `Table` here",
        )),
    }
}

fn is_integer(ty: &Type) -> Result<bool> {
    match last_segment(ty) {
        Some(segment) if integer_name(segment) => Ok(true),
        Some(segment) if float_name(segment) => Ok(false),
        _ => Err(Error::new_spanned(
            ty,
            "`add` needs a primitive number such as `u64` or `f64`, named as such; for other sums use `reduce_with = std::ops::AddAssign::add_assign`",
        )),
    }
}

fn integer_name(segment: &PathSegment) -> bool {
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"]
        .iter()
        .any(|name| segment.ident == name)
}

fn float_name(segment: &PathSegment) -> bool {
    segment.ident == "f32" || segment.ident == "f64"
}
