//! Links that follow a note whatever stands in or around their brackets, and texts that look like links and are none.

use graphloom_vault::{NotePath, Notes, Overlay};

use super::{TestVault, path};

/// What `text` reads after `old` was renamed to `New`. A rename and a merge lead links to the same place.
#[track_caller]
fn after(old: &str, text: &str) -> String {
    let old = NotePath::of_file(&format!("{old}.md")).unwrap();
    let of = |act: &dyn Fn(&mut Overlay)| {
        let files = [(old.as_str(), "## Part\n"), ("From.md", text)];
        let place = TestVault::new(&files);
        let mut overlay = place.overlay();
        act(&mut overlay);
        overlay.expect(&path("From.md")).unwrap().text().to_owned()
    };
    let renamed = of(&|overlay| drop(overlay.rename(&old, &path("New.md")).unwrap()));
    let merged = of(&|overlay| {
        overlay.create(&path("New.md"), "x\n").unwrap();
        overlay.merge(&old, &path("New.md")).unwrap();
    });
    assert_eq!(renamed, merged);
    renamed
}

/// Each text leads to the note with its last `Old` in brackets.
#[test]
fn a_link_is_one_whatever_stands_inside_its_brackets() {
    for text in [
        "[[Old|`old()`]]",
        "![[Old#The `x` part]]",
        "[[Old#The `x` part]] and `code`",
        "a `b` [[Old|`]] c `d`",
        "[[Old|$x$]] $y$",
        "[[Old#Cost $5 or $6]]",
        "[[Old|50%% of it]] and [[Old|20%% more]]",
        "[[Old|<b>x</b>]] [[Old|<!-- x]] [[Old|y -->]]",
        "[[Old|a\\]] [[Old|*x* _y_ ~~z~~]]",
        "[[Old|a](b.md)]]",
        "[[Old#^block|``a ` b``]]",
        "| a | b |\n|---|---|\n| [[Old\\|`x`]] | `y` [[Old]] |\n",
        "> [!note] See [[Old|`a`]]\n> and `b` [[Old]]\n",
        "Text[^1]\n\n[^1]: See [[Old|`a`]] and ![[Old#`b`]]\n\n    [[Old|more]]\n",
        "## On [[Old#`x`|`y`]] ^id\n",
        "- [ ] [[Old|`a]]\n- [x] [[Old|b`]]\n",
        "^[note with [[Old|`x`]]]",
        "[see [[Old|`x`]]](https://a.b) and `c`",
        "[a `x` b](Old.md) [[b|`c]] [d `e` f](Old.md#part) `g`",
        "[50%% of](Old.md) and [20%% more](Old.md)",
        "[$5](Old.md)/[$6](Old.md)",
        "%% [[to come]] %% [[Old]] %% x %%",
        "`a` [[Old]] `b`",
        "a ` [[Old]]",
        "100%% [[Old]]\n\n20%% more",
        "$$ a $$ [[Old]] $$ b $$",
        "<b title='x'>[[Old]]</b>",
        "<!-- x --> [[Old]]",
        "text <!-- x --> [[Old]] <!-- y -->",
        "$x$[[Old]]$y$",
    ] {
        let links = |name: &str| {
            let markdown = format!("]({name}.md");
            text.replace("[[Old", &format!("[[{name}")).replace("](Old.md", &markdown)
        };
        assert_eq!(after("Old", text), links("New"), "{text}");
    }
}

#[test]
fn a_note_whose_name_holds_marks_takes_its_links_along() {
    for (old, text, expected) in [
        ("The `x` type", "[[The `x` type]] `a` [[The `x` type#p|q]]", "[[New]] `a` [[New#p|q]]"),
        ("Cost $5 or $6", "$1 [[Cost $5 or $6]] $2", "$1 [[New]] $2"),
        ("50%% off", "[[50%% off]] and ![[50%% off]]", "[[New]] and ![[New]]"),
        ("a_b*c", "[[a_b*c]] *x* [y](a_b*c.md)", "[[New]] *x* [y](New.md)"),
    ] {
        assert_eq!(after(old, text), expected);
    }
    let place = TestVault::new(&[("Old.md", ""), ("From.md", "`a` [[Old]] $x$ [m](Old.md) %% b %%")]);
    let mut overlay = place.overlay();
    overlay.rename(&path("Old.md"), &path("The `x` at $5, 50%% off.md")).unwrap();
    assert_eq!(
        overlay.expect(&path("From.md")).unwrap().text(),
        "`a` [[The `x` at $5, 50%% off]] $x$ [m](The%20%60x%60%20at%20$5,%2050%25%25%20off.md) %% b %%"
    );
}

#[test]
fn a_link_between_amounts_of_money_is_one() {
    for text in [
        "From US$10 for [[Old]] to US$20",
        "A$5-[[Old]]-A$6",
        "$10/[[Old]]/$20",
        "| $3 | ![[Old]] | 4$ |",
        "| a | b | c |\n|---|---|---|\n| $3 | ![[Old]] | 4$ |\n",
        "$5 [[Old]] $6",
        "5$-[[Old]]-6$, $5k–[[Old]]–6k$",
        "US$ 10, [[Old]], US$ 20",
        "$10/[the old](Old.md)/$20",
        "- $5/[[Old]]\n- 6$\n",
        "$5\n[[Old]] for 6$",
        "$HOME/[[Old]]/$USER",
        "$5の[[Old]]は6$",
        "US$5 for [[Old|$x$]] and $x^2$ for US$6",
    ] {
        assert_eq!(after("Old", text), text.replace("[[Old", "[[New").replace("(Old.md", "(New.md"), "{text}");
    }
}

#[test]
fn what_only_looks_like_a_link_stays_to_the_byte() {
    for text in [
        "$\\text{[[Old]]}$",
        "$[[Old]]$ and $x_{[[Old]]}$",
        "$$\n[[Old]]\n$$",
        "$$\n\n\\text{[[Old]]}\n\n$$",
        "$$ [[1,2],[3,4]] $$ and $A = [[Old],[Old]]$",
        "`[[Old]]` ``[[Old]] ` [x](Old.md)`` `a [[Old|`b",
        "```\n[[Old]]\n```\n~~~\n```\n[[Old]]\n~~~\n",
        "- a\n  ````\n  ```\n  [[Old]]\n  ````\n",
        "Code:\n\n    [[Old]]\n    [x](Old.md)\n",
        "%%[[Old]]%% and %% [x](Old.md) `a %% `b`",
        "%%\n[[Old]]\n\n[[Old|x]]\n%%",
        "> %%\n> [[Old]]\n>\n> [[Old]]\n> %%\n",
        "Text <!-- [[Old]] --> text <!-- [[Old]]\n[[Old]] -->",
        "<span title=\"[[Old]]\">x</span> <https://a.b/[[Old]]>",
        "<pre>\n[[Old]]\n</pre>\n",
        "\\[[Old]] [\\[Old]] \\[x](Old.md) [[Old [Old]",
        "[^1]: Old.md\n",
        "[^Old]\n\n[^Old]: [Old](https://a.b/Old.md)\n",
        "| a | b |\n|---|---|\n| `[[Old\\|x]]` | $[[Old]]$ |\n",
    ] {
        assert_eq!(after("Old", text), text);
    }
}
