//! Following variables through a template.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use minijinja::machinery::ast::{CallArg, Expr, ForLoop, Stmt};
use minijinja::machinery::parse;

use crate::Files;

/// A variable that a template shows outside of a fence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnfencedVariable {
    /// The template whose prompt shows it.
    pub template: String,
    /// The variable, such as `documents[].title`.
    pub variable: String,
}

/// Something that is not followed here.
#[derive(Debug)]
pub struct Unknown {
    template: String,
    what: String,
}

/// The paths of variables that flow into a text.
type Paths = BTreeSet<String>;
/// What names that the template gives stand for.
type Names = BTreeMap<String, Paths>;

pub(crate) struct Follow<'a> {
    template: &'a str,
    own: &'a Files,
    shared: &'a Files,
}

impl<'a> Follow<'a> {
    pub(crate) fn new(template: &'a str, own: &'a Files, shared: &'a Files) -> Self {
        Self { template, own, shared }
    }

    /// What a template shows. Parts that it includes are added to `included`.
    pub(crate) fn template(
        &self,
        source: &str,
        included: &mut BTreeSet<String>,
    ) -> Result<Vec<UnfencedVariable>, Unknown> {
        let mut shown = Paths::new();
        self.source(source, &mut Names::new(), &mut shown, included)?;
        let template = self.template.to_owned();
        Ok(shown.into_iter().map(|variable| UnfencedVariable { template: template.clone(), variable }).collect())
    }

    fn source(
        &self,
        source: &str,
        names: &mut Names,
        shown: &mut Paths,
        included: &mut BTreeSet<String>,
    ) -> Result<(), Unknown> {
        let parsed = parse(source, self.template, Default::default()).map_err(|error| self.unknown(error))?;
        match &parsed {
            Stmt::Template(template) => self.all(&template.children, names, shown, included),
            other => Err(self.unknown(format!("{other:?}"))),
        }
    }

    fn all(
        &self,
        statements: &[Stmt<'_>],
        names: &mut Names,
        shown: &mut Paths,
        included: &mut BTreeSet<String>,
    ) -> Result<(), Unknown> {
        statements.iter().try_for_each(|statement| self.one(statement, names, shown, included))
    }

    fn one(
        &self,
        statement: &Stmt<'_>,
        names: &mut Names,
        shown: &mut Paths,
        included: &mut BTreeSet<String>,
    ) -> Result<(), Unknown> {
        match statement {
            Stmt::EmitRaw(_) => {}
            Stmt::EmitExpr(emit) => shown.extend(self.flows(&emit.expr, names)?),
            Stmt::ForLoop(each) => return self.each(each, names, shown, included),
            Stmt::IfCond(branch) => {
                self.all(&branch.true_body, names, shown, included)?;
                self.all(&branch.false_body, names, shown, included)?;
            }
            Stmt::Set(set) => {
                let paths = self.flows(&set.expr, names)?;
                names.insert(self.name(&set.target)?, paths);
            }
            Stmt::SetBlock(set) if set.filter.is_none() => {
                let mut inside = Paths::new();
                self.all(&set.body, &mut names.clone(), &mut inside, included)?;
                names.insert(self.name(&set.target)?, inside);
            }
            Stmt::FilterBlock(block) => {
                let mut inside = Paths::new();
                self.all(&block.body, &mut names.clone(), &mut inside, included)?;
                if !matches!(&block.filter, Expr::Filter(filter) if filter.name == "fenced") {
                    shown.extend(inside);
                }
            }
            Stmt::Include(include) => {
                let name = match &include.name {
                    Expr::Const(name) => name.value.as_str().map(str::to_owned),
                    _ => None,
                };
                let name = name.ok_or_else(|| self.unknown("an inclusion by a variable"))?;
                let source = self.own.source(&name).or_else(|| self.shared.source(&name));
                let source = source.ok_or_else(|| self.unknown(format!("the part `{name}`, which there is not")))?;
                self.source(source, names, shown, included)?;
                included.insert(name);
            }
            other => return Err(self.unknown(format!("{other:?}"))),
        }
        Ok(())
    }

    fn each(
        &self,
        each: &ForLoop<'_>,
        names: &mut Names,
        shown: &mut Paths,
        included: &mut BTreeSet<String>,
    ) -> Result<(), Unknown> {
        let of = self.flows(&each.iter, names)?.into_iter().map(|path| format!("{path}[]")).collect();
        let mut inside = names.clone();
        inside.insert(self.name(&each.target)?, of);
        inside.insert("loop".to_owned(), Paths::new());
        self.all(&each.body, &mut inside, shown, included)?;
        self.all(&each.else_body, names, shown, included)
    }

    fn name(&self, target: &Expr<'_>) -> Result<String, Unknown> {
        match target {
            Expr::Var(var) => Ok(var.id.to_owned()),
            _ => Err(self.unknown("a target that is no name")),
        }
    }

    /// The variables whose text is in the value of an expression.
    fn flows(&self, expr: &Expr<'_>, names: &Names) -> Result<Paths, Unknown> {
        let all = |exprs: &[&Expr<'_>]| -> Result<Paths, Unknown> {
            let mut paths = Paths::new();
            for expr in exprs {
                paths.extend(self.flows(expr, names)?);
            }
            Ok(paths)
        };
        match expr {
            // Constants, truth values and numbers carry no text.
            Expr::Const(_) | Expr::UnaryOp(_) | Expr::Compare(_) | Expr::Test(_) => Ok(Paths::new()),
            Expr::Var(var) => Ok(names.get(var.id).cloned().unwrap_or_else(|| Paths::from_iter([var.id.to_owned()]))),
            Expr::GetAttr(get) => {
                let of = self.flows(&get.expr, names)?;
                Ok(of.into_iter().map(|path| format!("{path}.{}", get.name)).collect())
            }
            Expr::GetItem(get) => {
                let of = self.flows(&get.expr, names)?;
                Ok(of.into_iter().map(|path| format!("{path}[]")).collect())
            }
            Expr::Slice(slice) => self.flows(&slice.expr, names),
            Expr::BinOp(op) => all(&[&op.left, &op.right]),
            Expr::IfExpr(choice) => {
                let mut exprs = vec![&choice.true_expr];
                exprs.extend(&choice.false_expr);
                all(&exprs)
            }
            Expr::Filter(filter) if matches!(filter.name, "fenced" | "length") => Ok(Paths::new()),
            Expr::Filter(filter) => {
                let mut exprs: Vec<&Expr<'_>> = filter.expr.iter().collect();
                for arg in &filter.args {
                    match arg {
                        CallArg::Pos(expr) | CallArg::Kwarg(_, expr) => exprs.push(expr),
                        _ => return Err(self.unknown("spread arguments")),
                    }
                }
                all(&exprs)
            }
            Expr::List(list) => all(&list.items.iter().collect::<Vec<_>>()),
            other => Err(self.unknown(other.description())),
        }
    }

    fn unknown(&self, what: impl fmt::Display) -> Unknown {
        Unknown { template: self.template.to_owned(), what: what.to_string() }
    }
}

impl fmt::Display for UnfencedVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` shows `{}`", self.template, self.variable)
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` uses what this check does not follow: {}; teach it to `tests/fences`", self.template, self.what)
    }
}

impl std::error::Error for Unknown {}
