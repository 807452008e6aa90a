// Texts that would do something if the page took them for anything but text. Each names `canary`, which the tests
// watch, or a host that nobody must be asked for.

export const INJECTIONS = [
  '<script>canary("script")</script>',
  '<img src="https://evil.example/picture.png" onerror="canary(\'picture\')">',
  '<svg onload="canary(\'drawing\')"><script>canary("script of a drawing")</script></svg>',
  '<iframe srcdoc="<script>parent.canary(1)</script>"></iframe>',
  '"><input autofocus onfocus="canary(\'focus\')"><b onmouseover="canary(\'pointer\')">text</b>',
  "<a href=\"javascript:canary('address')\">a link</a>",
  '<a href="data:text/html,<script>opener.canary(1)</script>" target="_blank">a link</a>',
  "[a link](javascript:canary('markdown'))",
  "[a link](JaVaScRiPt&colon;canary('entity'))",
  "[a link](data:text/html;base64,PHNjcmlwdD5jYW5hcnkoMSk8L3NjcmlwdD4=)",
  "![a picture](https://evil.example/markdown.png)",
  "![a picture](javascript:canary('picture'))",
  "![a picture][far]\n\n[far]: https://evil.example/reference.png",
  '<style>@import "https://evil.example/style.css"; * { display: none !important }</style>',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<form action="https://evil.example/"><button autofocus>send</button></form>',
  '<link rel="stylesheet" href="https://evil.example/style.css"><object data="https://evil.example/"></object>',
  "\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007a link\u001b]8;;\u0007 \u001b]0;a title\u0007 \b\b\b",
  "photo\u202Egnp.exe \u2066\u2067turned\u2069 zero\u200bwidth \ufeffmark",
  "{{constructor.constructor('canary(1)')()}} ${canary(2)} <%= canary(3) %>",
  "</script></style></textarea></title><script>canary('end')</script>",
  "__proto__",
];

/** A text of 100 kB without a place to break. */
export const LONG = `${"long".repeat(25_000)}<b>end</b>`;

/** What the page must not have made of them. */
export const FORBIDDEN = [
  "main :is(img, iframe, script, object, embed, base, meta, link, style, title)",
  "main form[action]",
  "main :is([onerror], [onload], [onfocus], [onmouseover], [srcdoc], [autofocus][onfocus])",
  "main a[href^='javascript' i]",
  "main a[href^='data' i]",
].join(", ");

/** What of an injected text must be there to read: its words, without what Markdown takes as marks. */
export function words(text) {
  return text.match(/canary|evil\.example|constructor|photo|red/g) ?? [];
}
