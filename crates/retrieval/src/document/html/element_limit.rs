//! A bound on the elements that parsers make of a page.
//!
//! A formatting element that is left open, such as `<b>`, is made anew in every block that follows (HTML, section
//! 13.2.4.3). So the elements of a page can be as many as the square of its tags, though no tag stands inside many others.
//! And elements can stand inside each other far deeper than their tags look, when what seems to close them stands where
//! parsers see no tag, as in `<textarea></div></textarea>`.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, ParseOpts, QualName, ns, parse_document};

/// How many elements may be made besides those that the tags of a page name. Old pages whose authors forgot end tags
/// make some thousands.
const MOST_COPIES: usize = 200_000;
/// The most kinds of formatting elements: those with another name or other attributes. Parsers compare each one that is
/// opened with those that are open.
const MOST_KINDS: usize = 1000;
/// Deeper pages take the readers time that grows with the square of the depth, and some of them a stack that grows with it.
const DEEPEST: usize = 2000;
/// After how many bytes is looked whether a bound is passed.
const PIECE: usize = 1024;
/// What is made anew. Of `a` and `nobr` only one is open at a time.
const FORMATTING: &[&str] = &["b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"];

/// Refuses a page of which parsers would make far more elements than it has tags. The page is taken through the same
/// parser that the readers use, which keeps nothing here, and stops when a bound is passed.
///
/// # Errors
/// Says which bound was passed.
pub(super) fn check(page: &str) -> Result<(), String> {
    count(page).1
}

/// How many elements were made, and whether a bound was passed.
fn count(page: &str) -> (usize, Result<(), String>) {
    let most = page.matches('<').count() + MOST_COPIES;
    let mut parser = parse_document(Counter::default(), ParseOpts::default());
    let mut rest = page;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(PIECE.min(rest.len())));
        rest = behind;
        parser.process(StrTendril::from_slice(piece));
        let counter = &parser.tokenizer.sink.sink;
        let made = counter.made.get();
        if made > most {
            return (made, Err(format!("formatting that is left open makes {made} elements of its tags")));
        }
        if counter.deepest.get() > DEEPEST {
            return (made, Err(format!("elements are nested more than {DEEPEST} deep")));
        }
        let kinds = counter.kinds.borrow().len();
        if kinds > MOST_KINDS {
            return (made, Err(format!("it has more than {MOST_KINDS} kinds of formatting")));
        }
    }
    (parser.tokenizer.sink.sink.made.get(), Ok(()))
}

/// A node of a page: its name, and how deep it stands.
struct Node {
    name: QualName,
    depth: Cell<usize>,
}

type Handle = Rc<Node>;

impl Node {
    fn at(name: QualName, depth: usize) -> Handle {
        Rc::new(Self { name, depth: Cell::new(depth) })
    }
}

/// Takes part in the making of a page and keeps nothing of it.
struct Counter {
    made: Cell<usize>,
    deepest: Cell<usize>,
    kinds: RefCell<HashSet<u64>>,
    hasher: RandomState,
    nameless: Handle,
}

impl Default for Counter {
    fn default() -> Self {
        let name = QualName::new(None, ns!(), LocalName::from(""));
        let nameless = Node::at(name, 0);
        Self {
            made: Cell::new(0),
            deepest: Cell::new(0),
            kinds: RefCell::default(),
            hasher: RandomState::new(),
            nameless,
        }
    }
}

impl Counter {
    fn place(&self, child: &NodeOrText<Handle>, depth: usize) {
        if let NodeOrText::AppendNode(child) = child {
            child.depth.set(depth);
            self.deepest.set(self.deepest.get().max(depth));
        }
    }
}

impl TreeSink for Counter {
    type Handle = Handle;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn get_document(&self) -> Handle {
        Rc::clone(&self.nameless)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> Handle {
        self.made.set(self.made.get() + 1);
        if name.ns == ns!(html) && FORMATTING.contains(&&*name.local) {
            let mut pairs: Vec<(&str, &str)> =
                attributes.iter().map(|attribute| (&*attribute.name.local, &*attribute.value)).collect();
            // The order of attributes does not matter.
            pairs.sort_unstable();
            self.kinds.borrow_mut().insert(self.hasher.hash_one((&*name.local, pairs)));
        }
        Node::at(name, 0)
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        Node::at(self.nameless.name.clone(), 0)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        Node::at(self.nameless.name.clone(), 0)
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        Node::at(self.nameless.name.clone(), target.depth.get())
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.place(&child, parent.depth.get() + 1);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        self.place(&child, sibling.depth.get());
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        self.place(&child, element.depth.get().max(previous.depth.get() + 1));
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn add_attrs_if_missing(&self, _: &Handle, _: Vec<Attribute>) {}
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn remove_from_parent(&self, _: &Handle) {}
    fn reparent_children(&self, _: &Handle, _: &Handle) {}
}

#[cfg(test)]
mod tests {
    use dom_smoothie::Readability;
    use proptest::prelude::*;

    use super::*;

    fn repeated(count: usize, piece: impl Fn(usize) -> String) -> String {
        (0..count).map(piece).collect()
    }

    #[test]
    fn formatting_that_is_left_open_is_refused_before_it_is_made() {
        let own = |at: usize| format!("<p><b i={at}>x");
        let bombs = [
            // Each paragraph would open all that is open before it once more.
            repeated(900, own),
            repeated(1500, own),
            "<p>".to_owned() + &repeated(300, |at| format!("<font color={at}>")) + &"<p>x".repeat(20_000),
            "<p><b><b><b><i><i><i><u><u><u><s><s><s>".to_owned() + &"<p>x".repeat(100_000),
            repeated(5000, |at| format!("<b i={at}>x")),
            // What closes it stands where parsers see no tag.
            repeated(5000, |at| format!("<b i={at}><textarea></b></textarea>")),
            "<div><textarea></div></textarea>".repeat(5000),
            "<div>".repeat(DEEPEST + 1),
            // Only a drawing's elements do.
            "<div/>".repeat(DEEPEST + 1),
        ];
        for bomb in bombs {
            let tags = bomb.matches('<').count();
            let (made, outcome) = count(&bomb);
            assert!(outcome.is_err(), "{bomb:.60}");
            // In the piece in which the bound is passed each tag may make all that is open.
            assert!(made <= tags + MOST_COPIES + PIECE / 3 * 3 * MOST_KINDS, "{bomb:.60}: {made}");
        }
    }

    #[test]
    fn written_pages_are_taken() {
        for page in [
            "",
            "text <b>bold</b> <svg><b/></svg>",
            "<p><b>never closed<p>and more<p>and more",
            "<template><b>x</template><table><b>x<tr><td><i>y</table>",
            "<?x?><!-- c --><!DOCTYPE html><frameset>",
            &"<!-- a comment --><p>x".repeat(5000),
            &repeated(900, |at| format!("<p><i class=icon-{at}></i>text</p>")),
            &("<p>".to_owned() + &repeated(20, |at| format!("<font size={at}>")) + &"<p>an old page".repeat(2000)),
            &"<p>x".repeat(300_000),
            // A drawing's elements end where they begin.
            &format!("<svg>{}</svg><p>x", "<path d='M0,0'/>".repeat(3000)),
        ] {
            assert_eq!(check(page), Ok(()), "{page:.60}");
        }
    }

    proptest! {
        #[test]
        fn what_is_counted_is_what_the_reader_makes(
            pieces in prop::collection::vec(
                prop_oneof![
                    Just("<p>x".to_owned()), Just("<div>".to_owned()), Just("</div>".to_owned()),
                    Just("</b>".to_owned()), Just("</i>".to_owned()), Just("<table><tr><td>".to_owned()),
                    Just("</table>".to_owned()), Just("<textarea></b></textarea>".to_owned()),
                    Just("<!--</b>-->".to_owned()), Just("<a href=x>".to_owned()),
                    (0..40_u8).prop_map(|at| format!("<b i={at}>")),
                    (0..40_u8).prop_map(|at| format!("<i j={at}>x")),
                ],
                0..60,
            )
        ) {
            let page = pieces.concat();
            let (made, outcome) = count(&page);
            prop_assert_eq!(outcome, Ok(()));
            let reader = Readability::new(page.as_str(), None, None).unwrap();
            let seen = reader.doc.select("*").nodes().len();
            prop_assert!(seen <= made + 3, "{} elements, counted {}: {}", seen, made, page);
        }
    }
}
