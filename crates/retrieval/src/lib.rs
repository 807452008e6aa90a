//! Local corpus search with snippets and stable evidence ids.
