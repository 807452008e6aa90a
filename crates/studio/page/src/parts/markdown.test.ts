import assert from "node:assert/strict";
import { test } from "node:test";
import { definitions, sections } from "./markdown-sections.ts";
import { type Cell, harmless, type Piece, tree } from "./markdown-tree.ts";

/** The elements of a tree, as tags around their texts. */
function shown(pieces: readonly Piece[]): string {
  return pieces
    .map((piece): string => {
      if (typeof piece === "string") return piece;
      switch (piece.is) {
        case "link":
          return `<a ${piece.href}>${shown(piece.in)}</a>`;
        case "table":
          return `<table>${[piece.head, ...piece.rows].map(shownRow).join("/")}</table>`;
        case "note":
          return `<note ${piece.number}>`;
        case "notes":
          return `<notes>${piece.notes.map((note) => `${note.number}:${shown(note.in)}`).join("/")}</notes>`;
        case "task":
          return `<task ${piece.done}>${shown(piece.in)}</task>`;
        case "heading":
          return `<h${piece.level}>${shown(piece.in)}</h${piece.level}>`;
        default:
          return `<${piece.is}>${shown(piece.in)}</${piece.is}>`;
      }
    })
    .join("");
}

function shownRow(row: readonly Cell[]): string {
  return row.map((cell) => shown(cell.in)).join("|");
}

function links(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece): string[] => {
    if (typeof piece === "string" || piece.is === "note") return [];
    if (piece.is === "notes") return piece.notes.flatMap((note) => links(note.in));
    if (piece.is === "table") return [piece.head, ...piece.rows].flat().flatMap((cell) => links(cell.in));
    return piece.is === "link" ? [piece.href, ...links(piece.in)] : links(piece.in);
  });
}

/** How the whole page treats a text. */
function all(text: string): Piece[] {
  const defined = definitions(text);
  return sections(text).flatMap(({ text, raw }): Piece[] => (raw ? [{ is: "pre", in: [text] }] : tree(text, defined)));
}

test("the elements of CommonMark and GFM", () => {
  const cases: [string, string][] = [
    ["# a *b*", "<h1>a <em>b</em></h1>"],
    ["a **b** ~~c~~ `d`", "<p>a <strong>b</strong> <del>c</del> <code>d</code></p>"],
    ["- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"],
    ["3. a\n4. b", "<ol><li>a</li><li>b</li></ol>"],
    ["- [x] a\n- [ ] b", "<ul><task true>a</task><task false>b</task></ul>"],
    ["- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"],
    ["> a", "<blockquote><p>a</p></blockquote>"],
    ["```js\na < b\n```", "<pre>a < b</pre>"],
    ["a  \nb\n\n---", "<p>a<br></br>b</p><hr></hr>"],
    ["|a|b|\n|-|-:|\n|1|*2*|", "<table>a|b/1|<em>2</em></table>"],
    ["[a](https://x.org \"t\")", "<p><a https://x.org/>a</a></p>"],
    ["<https://x.org> a@x.org", "<p><a https://x.org/>https://x.org</a> <a mailto:a@x.org>a@x.org</a></p>"],
    ["[a][b]\n\n[b]: http://x.org", "<p><a http://x.org/>a</a></p>"],
    ["![a](https://x.org/i.png)", "<p><a https://x.org/i.png>[image: a]</a></p>"],
    [
      "a[^n] b[^n] c[^m]\n\n[^n]: one\n[^m]: two",
      "<p>a<note 1> b<note 1> c<note 2></p><notes>1:<p>one</p>/2:<p>two</p></notes>",
    ],
    ["a[^x]", "<p>a[^x]</p>"],
  ];
  for (const [text, expected] of cases) assert.equal(shown(tree(text)), expected, text);
});

test("HTML is text", () => {
  for (const text of [
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<a href='javascript:alert(1)'>x</a>",
    "<!-- a -->",
    "<style>*{display:none}</style>",
    "<math><mi xlink:href='javascript:alert(1)'>",
  ]) {
    const pieces = tree(text);
    assert.deepEqual(links(pieces), [], text);
    assert.ok(shown(pieces).replace(/<\/?(p|html)>/g, "").includes(text.slice(0, 6)), text);
  }
});

test("only links to the web and to mail are links", () => {
  const refused = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "java&#x0A;script:alert(1)",
    "\u0001javascript:alert(1)",
    "javascript&colon;alert(1)",
    "&#106;avascript:alert(1)",
    "vbscript:x",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml;base64,PHN2Zz4=",
    "file:///etc/passwd",
    "blob:https://x.org/1",
    "//x.org",
    "/a",
    "#/threads",
    "x",
    "http:x",
    "https:/x",
    "ht\ntp://x.org",
    "http://",
    "filesystem:http://x",
    "view-source:http://x",
    "",
  ];
  for (const url of refused) assert.equal(harmless(url), undefined, url);
  for (const url of refused) {
    const texts = [`[x](<${url}>)`, `[x](${url})`, `<${url}>`, `![x](<${url}>)`, `[x][y]\n\n[y]: <${url}>`, `[${url}]`];
    for (const text of texts) {
      for (const href of links(tree(text))) assert.match(href, /^(https?:\/\/|mailto:)/, text);
    }
  }
  const decoded = "[x](java&#x73;cript:alert(1)) [y](&#x6A;avascript&#58;alert(1)) [z](javascript\\:alert(1))";
  assert.deepEqual(links(tree(decoded)), []);
  assert.equal(harmless("HTTPS://X.org/a?b#c"), "https://x.org/a?b#c");
  assert.equal(harmless("https://xn--pypal-4ve.com/"), harmless("https://p\u0430ypal.com/"));
  assert.equal(harmless("mailto:a@x.org"), "mailto:a@x.org");
  assert.equal(shown(tree("[click](javascript:alert(1))")), "<p>click (javascript:alert(1))</p>");
});

test("a link of the view's own is one only where the view says so", () => {
  const text = "A [1](#cite:1) and a [2](#other:2).";
  const own = tree(text, "", { has: (url) => url.startsWith("#cite:") });
  assert.deepEqual(own, [
    { is: "p", in: ["A ", { is: "own", url: "#cite:1", in: ["1"] }, " and a ", "2", " (#other:2)", "."] },
  ]);
  assert.ok(!JSON.stringify(tree(text)).includes('"own"'));
});

test("signs of the view's own are found in texts, and neither in code nor in links", () => {
  const own = tree("**A [1]**, `x[1]`, [see [1]](https://example.org/) [2](https://example.org/)[3].", "", { signs: /\[\d\]/g });
  assert.equal(JSON.stringify(own).match(/"own"/g)?.length, 2);
  assert.deepEqual(own.at(0), {
    is: "p",
    in: [
      { is: "strong", in: ["A ", { is: "own", url: "[1]", in: ["[1]"] }] },
      ", ",
      { is: "code", in: ["x[1]"] },
      ", ",
      { is: "link", href: "https://example.org/", in: ["see [1]"] },
      " ",
      { is: "link", href: "https://example.org/", in: ["2"] },
      { is: "own", url: "[3]", in: ["[3]"] },
      ".",
    ],
  });
});

test("control characters and overrides are named wherever they are", () => {
  const bad = "\u001b[2J\u202e";
  const places = [
    "X",
    "`X`",
    "```\nX\n```",
    "# X",
    "<b X>",
    "[x](yX)",
    "![X](https://x.org)",
    "|X|\n|-|\n|X|",
    "a[^b]\n\n[^b]: X",
  ];
  for (const place of places) {
    const text = place.replaceAll("X", bad);
    assert.doesNotMatch(JSON.stringify(tree(text)), /\\u001b|\u202e|\u001b/, JSON.stringify(text));
  }
});

test("what would take long or is nested deep does not freeze the page", { timeout: 60_000 }, () => {
  const marks = ["*a", "a*", "_a ", "**a* ", "<", "``a`", "|", "~", "&"];
  const cases = ["[", "![", "[a](", "[a][", "[^", "\n[a]: b", "> ", "- ", "1. ", "\n> ", ...marks];
  const took = (began: number) => Math.round(performance.now() - began);
  for (const text of cases) {
    const long = text.repeat(Math.ceil(1_000_000 / text.length));
    const began = performance.now();
    const parts = sections(long);
    const first = parts[0];
    assert.ok(first !== undefined);
    assert.equal(parts.map((part) => part.text).join("\n"), long);
    const pieces = first.raw ? [] : tree(first.text, definitions(long));
    shown(pieces);
    assert.ok(took(began) < 5000, `${JSON.stringify(text)} took ${took(began)} ms`);
  }
  for (const size of [500, 1000, 2000]) {
    const items = Array.from({ length: size }, (_, at) => `${" ".repeat(at * 2)}- x`).join("\n");
    const quotes = Array.from({ length: size }, (_, at) => `${">".repeat(at % 14)} x`).join("\n");
    for (const text of [items, quotes, "*a **b ".repeat(size)]) {
      const began = performance.now();
      for (const part of sections(text).slice(0, 3)) if (!part.raw) shown(tree(part.text));
      assert.ok(took(began) < 5000, `${text.slice(0, 12)} took ${took(began)} ms`);
    }
  }
});

test("long texts are cut at blocks, and definitions count in all sections", () => {
  const block = "Some *prose* with [a link][1] and more of it.\n\n```\n\n# no heading\n\n```\n\n";
  const text = `${block.repeat(500)}[1]: https://x.org`;
  const parts = sections(text);
  assert.ok(parts.length > 1 && parts.every((part) => !part.raw));
  assert.equal(parts.map((part) => part.text).join("\n"), text);
  for (const part of parts) assert.match(part.text, /^(Some|```|\[1\]: https:\/\/x.org$)/);
  assert.ok(links(all(text)).length === 500);
  assert.ok(!shown(all(text)).includes("<h1>"));
});

test("a long table is read", () => {
  const text = `|a|b|\n|-|-|\n${"|*x*|[y](http://y.org)|\n".repeat(2000)}`;
  assert.deepEqual(
    sections(text).map((part) => part.raw),
    [false],
  );
});
