//! What `#[state(…)]` says, as written.

use proc_macro2::Span;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, ExprPath, Ident, Path, Result, Token, Type, parse_quote};

const OF_A_FIELD: &str = "`append`, `merge`, `add`, `max`, `min`, `any`, `reduce_with = path`, `update = Type`, `stored = deltas`, `ephemeral` and `untracked`";

/// The attributes of the struct.
pub(crate) struct StructAttributes {
    /// The path of the core crate.
    pub(crate) core: Path,
}

/// The attributes of a field, each with the place where it stands.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    pub(crate) append: Option<Span>,
    pub(crate) merge: Option<Span>,
    pub(crate) add: Option<Span>,
    pub(crate) max: Option<Span>,
    pub(crate) min: Option<Span>,
    pub(crate) any: Option<Span>,
    pub(crate) reduce_with: Option<(Span, ExprPath)>,
    pub(crate) update: Option<(Span, Type)>,
    pub(crate) deltas: Option<Span>,
    pub(crate) ephemeral: Option<Span>,
    pub(crate) untracked: Option<Span>,
}

impl StructAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut core = None;
        for attribute in of_state(attributes) {
            attribute.parse_nested_meta(|meta| {
                if !meta.path.is_ident("crate") {
                    let message = "the only attribute of a state is `crate = path`; the others belong on its fields";
                    return Err(meta.error(message));
                }
                let path = Path::parse_mod_style(meta.value()?)?;
                set(&meta, &mut core, path)
            })?;
        }
        Ok(Self { core: core.unwrap_or_else(|| parse_quote!(::graphloom_core_graph)) })
    }
}

impl FieldAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        for attribute in of_state(attributes) {
            attribute.parse_nested_meta(|meta| found.read(&meta))?;
        }
        found.check()?;
        Ok(found)
    }

    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let name = meta.path.get_ident().map(Ident::to_string).unwrap_or_default();
        let span = name_span(meta);
        match name.as_str() {
            "append" => flag(meta, &mut self.append),
            "merge" => flag(meta, &mut self.merge),
            "add" => flag(meta, &mut self.add),
            "max" => flag(meta, &mut self.max),
            "min" => flag(meta, &mut self.min),
            "any" => flag(meta, &mut self.any),
            "ephemeral" => flag(meta, &mut self.ephemeral),
            "untracked" => flag(meta, &mut self.untracked),
            "reduce_with" => set(meta, &mut self.reduce_with, (span, meta.value()?.parse()?)),
            "update" => set(meta, &mut self.update, (span, meta.value()?.parse()?)),
            "stored" => {
                let way: Ident = meta.value()?.parse()?;
                if way != "deltas" {
                    let message = format!("`stored = {way}` is unknown; `stored = deltas` is the only choice");
                    return Err(Error::new(way.span(), message));
                }
                set(meta, &mut self.deltas, span)
            }
            _ => {
                let path = &meta.path;
                let message = format!("`{}` is unknown; a field takes {OF_A_FIELD}", quote!(#path));
                Err(Error::new_spanned(path, message))
            }
        }
    }

    /// Refuses what cannot stand together.
    fn check(&self) -> Result<()> {
        let reduce_with = self.reduce_with.as_ref().map(|(span, _)| *span);
        let reducers = [
            ("append", self.append),
            ("merge", self.merge),
            ("add", self.add),
            ("max", self.max),
            ("min", self.min),
            ("any", self.any),
            ("reduce_with", reduce_with),
        ];
        let mut reducers = reducers.into_iter().filter_map(|(name, span)| Some((name, span?)));
        if let (Some((one, _)), Some((other, span))) = (reducers.next(), reducers.next()) {
            return Err(Error::new(span, format!("`{one}` and `{other}` exclude each other; a field has one reducer")));
        }
        if let (Some((span, _)), None) = (&self.update, reduce_with) {
            let message = "`update` is the type that `reduce_with` takes; add `reduce_with = path` or drop `update`";
            return Err(Error::new(*span, message));
        }
        let Some(deltas) = self.deltas else { return Ok(()) };
        let reason = if self.append.is_some() || self.merge.is_some() {
            "`append` and `merge` fields are stored as deltas anyway; drop `stored`"
        } else if reduce_with.is_none() {
            "`stored = deltas` is for fields with `reduce_with = path`; other values are stored whole"
        } else if self.untracked.is_some() {
            "an `untracked` field is never stored; drop `stored` or `untracked`"
        } else if self.ephemeral.is_some() {
            "an `ephemeral` field is stored whole, as it lasts for one super-step; drop `stored` or `ephemeral`"
        } else {
            return Ok(());
        };
        Err(Error::new(deltas, reason))
    }
}

fn of_state(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("state"))
}

fn name_span(meta: &ParseNestedMeta<'_>) -> Span {
    meta.path.get_ident().map_or_else(Span::call_site, Ident::span)
}

/// Notes an attribute that has no value.
fn flag(meta: &ParseNestedMeta<'_>, slot: &mut Option<Span>) -> Result<()> {
    if meta.input.peek(Token![=]) {
        return Err(meta.input.error("this attribute takes no value; drop what follows its name"));
    }
    set(meta, slot, name_span(meta))
}

/// Fills a slot, once.
fn set<T>(meta: &ParseNestedMeta<'_>, slot: &mut Option<T>, value: T) -> Result<()> {
    if slot.is_some() {
        return Err(meta.error("this attribute stands here twice; drop one"));
    }
    *slot = Some(value);
    Ok(())
}
