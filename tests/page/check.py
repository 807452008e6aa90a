"""Looks at a report's page in Chromium through chromedriver, with nothing but the standard library.

usage: check.py REPORT SCREENSHOTS

Fails when the page is wider than its window, text is too faint or too small, a link of the contents leads nowhere, a
citation opens no marked source, print is not grouped by source, the console has a complaint, or a request leaves.
"""

import base64
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

report, shots = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
shots.mkdir(parents=True, exist_ok=True)
page = (report / "report.html").as_uri()
problems = []

# What a mode is: the size of the window, the scheme, the medium.
MODES = {
    "light": (1280, 900, "light", "screen"),
    "dark": (1280, 900, "dark", "screen"),
    "phone-light": (390, 844, "light", "screen"),
    "phone-dark": (390, 844, "dark", "screen"),
    "print": (794, 1123, "light", "print"),
    "print-of-dark": (794, 1123, "dark", "print"),
}

LOOK = r"""
const problems = [], counts = {};
const root = document.documentElement;
if (root.scrollWidth > WIDTH) {
  const wide = [...document.querySelectorAll('body *')].filter(e => !e.closest('.drawing, table, pre') && e.getBoundingClientRect().right > WIDTH + 1);
  problems.push(`the page is ${root.scrollWidth} px wide in a window of ${WIDTH}: ` + wide.slice(0, 3).map(e => e.outerHTML.slice(0, 90)).join(' ;; '));
}
const parse = text => { const n = text.match(/[\d.]+/g)?.map(Number); return n && { r: n[0], g: n[1], b: n[2], a: n.length > 3 ? n[3] : 1 }; };
const light = c => { const f = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(c.r) + 0.7152 * f(c.g) + 0.0722 * f(c.b); };
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const behind = element => {
  for (let e = element; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c && c.a === 1) return c;
  }
  return { r: 255, g: 255, b: 255, a: 1 };
};
const shown = e => e.checkVisibility ? e.checkVisibility() : e.getClientRects().length > 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let texts = 0;
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const e = node.parentElement;
  if (!node.data.trim() || !shown(e) || e.closest('title, desc, style')) continue;
  const style = getComputedStyle(e), svg = e.closest('svg');
  let size = parseFloat(style.fontSize), colour, ground;
  if (svg) {
    const box = svg.viewBox.baseVal;
    size *= box && box.width ? svg.getBoundingClientRect().width / box.width : 1;
    colour = parse(style.fill);
    ground = behind(svg);
    const around = e.parentElement.querySelector(':scope > rect');
    if (around && around.parentElement.tagName === 'g') ground = parse(getComputedStyle(around).fill);
  } else {
    colour = parse(style.color);
    ground = behind(e);
  }
  texts += 1;
  const words = node.data.trim().slice(0, 40);
  if (colour && ratio(colour, ground) < 4.5) problems.push(`contrast ${ratio(colour, ground).toFixed(2)} of "${words}" (${e.tagName} ${e.className.baseVal ?? e.className})`);
  const least = svg ? (PRINT ? 7 : 11) : 12;
  if (size < least - 0.01) problems.push(`"${words}" is ${size.toFixed(1)} px high`);
}
const links = [...document.querySelectorAll('nav.contents a')];
for (const link of links) {
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (!target || !/^H[23]$/.test(target.tagName) || target.textContent.trim() !== link.textContent.trim()) problems.push(`the contents lead nowhere: ${link.outerHTML}`);
}
const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
if (twice.length) problems.push(`ids stand twice: ${twice.slice(0, 3)}`);
for (const link of document.querySelectorAll('a[href^="#"]')) {
  if (!document.getElementById(link.hash.slice(1))) problems.push(`${link.outerHTML} leads nowhere`);
}
counts.texts = texts;
counts.contents = links.length;
counts.citations = document.querySelectorAll('main a.cite').length;
counts.charts = document.querySelectorAll('figure.chart svg').length;
counts.captions = document.querySelectorAll('figure.chart figcaption').length;
counts.data = document.querySelectorAll('figure.chart tbody a.cite').length;
counts.provenance = document.querySelectorAll('.panel figure svg').length;
counts.sources = document.querySelectorAll('section.source').length;
counts.paper = light(parse(getComputedStyle(root).backgroundColor));
counts.title = document.title;
return { problems, counts };
"""

PANEL = r"""
const problems = [], panel = document.querySelector('.panel:target');
if (!panel) return ['no panel is open'];
const box = panel.getBoundingClientRect();
if (box.bottom > window.innerHeight + 1 || box.left < 0 || box.right > WIDTH + 1 || box.height < 40) problems.push('the panel is not in the window');
if (panel.id.startsWith('e') && !panel.querySelector('mark')) problems.push('nothing is marked');
const drawing = panel.querySelector('.drawing');
if (drawing && WIDTH >= 1200 && drawing.scrollWidth > drawing.clientWidth + 1) problems.push('the drawing is cut');
if (drawing && WIDTH < 1200 && getComputedStyle(drawing).overflowX !== 'auto') problems.push('the drawing cannot be moved');
if (panel.scrollWidth > panel.clientWidth + 1) problems.push('the panel is wider than the window');
return problems;
"""

PRINTED = r"""
const problems = [];
const shown = e => getComputedStyle(e).display !== 'none';
for (const section of document.querySelectorAll('section.source')) {
  if (!shown(section.querySelector('h3'))) problems.push('a source has no heading in print');
  if (![...section.querySelectorAll('.panel')].every(shown)) problems.push('a passage is not printed');
}
for (const e of document.querySelectorAll('.close, .panel .from')) if (shown(e)) problems.push(`${e.className} is printed`);
return problems;
"""


class Browser:
    """A session of chromedriver."""

    def __init__(self, profile):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        driver = os.environ.get("CHROMEDRIVER", "chromedriver")
        self.driver = subprocess.Popen([driver, f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        for _ in range(200):
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
                 f"--user-data-dir={profile}"]
        options = {"args": flags, "perfLoggingPrefs": {"enableNetwork": True}}
        if os.environ.get("CHROMIUM"):
            options["binary"] = os.environ["CHROMIUM"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{made['sessionId']}"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"chromedriver: {error.read().decode()[:600]}")

    def do(self, path, body):
        return self.call("POST", self.session + path, body)

    def script(self, code):
        return self.do("/execute/sync", {"script": code, "args": []})

    def tell(self, command, **parameters):
        return self.do("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def logs(self, kind):
        return self.do("/se/log", {"type": kind})

    def shot(self, name, whole=True):
        taken = self.tell("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        (shots / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    def close(self):
        try:
            if self.session:
                self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=20)


def look(browser, mode):
    width, height, scheme, medium = MODES[mode]
    browser.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
    browser.tell("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.do("/url", {"url": page})
    # A phone makes its window wider than its screen when the page is, so the width is that of the mode.
    look_code = LOOK.replace("PRINT", "true" if medium == "print" else "false").replace("WIDTH", str(width))
    found = browser.script(look_code)
    problems.extend(f"{mode}: {problem}" for problem in found["problems"])
    counts = found["counts"]
    paper = counts["paper"]
    if (paper < 0.1) != (scheme == "dark" and medium == "screen"):
        problems.append(f"{mode}: the paper has a lightness of {paper:.2f}")
    browser.shot(mode)
    if medium == "print":
        problems.extend(f"{mode}: {problem}" for problem in browser.script(PRINTED))
    else:
        for number, target in enumerate(["e0", "inference-1"]):
            browser.do("/url", {"url": f"{page}#{target}"})
            problems.extend(f"{mode}, {target}: {problem}" for problem in browser.script(PANEL.replace("WIDTH", str(width))))
            again = browser.script(look_code)["problems"]
            problems.extend(f"{mode}, {target}: {problem}" for problem in again)
            browser.shot(f"{mode}-panel-{number}", whole=False)
    return counts


with tempfile.TemporaryDirectory() as profile:
    browser = Browser(profile)
    try:
        # The browser's own first page is none of the report.
        browser.do("/url", {"url": "about:blank"})
        browser.logs("performance"), browser.logs("browser")
        seen = {mode: look(browser, mode) for mode in MODES}
        browser.tell("Emulation.setEmulatedMedia", media="", features=[])
        printed = browser.tell("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)
        pdf = base64.b64decode(printed["data"])
        (shots / "print.pdf").write_bytes(pdf)
        pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
        for entry in browser.logs("browser"):
            problems.append(f"console: {entry['message']}")
        for entry in browser.logs("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith((report.as_uri(), "data:", "about:", "chrome:")):
                    problems.append(f"a request left: {url[:200]}")
    finally:
        browser.close()

first = seen["light"]
for what, least in {"contents": 6, "citations": 12, "charts": 3, "captions": 3, "data": 10, "provenance": 1, "sources": 3}.items():
    if first[what] < least:
        problems.append(f"the page has {first[what]} {what}; at least {least} were expected: {first}")
if first["captions"] != first["charts"]:
    problems.append(f"{first['charts']} charts have {first['captions']} captions")
if first["title"] == "99":
    problems.append("a script of a source ran")
if pages > 9:
    problems.append(f"print has {pages} pages")
text = (report / "report.md").read_text(encoding="utf-8")
if re.search(r"<(?!https?://)[A-Za-z/!?]", re.sub(r"`[^`]*`|data:image[^)]*", "", text)):
    problems.append("report.md carries HTML")
for problem in dict.fromkeys(problems):
    print(f"page: {problem}", file=sys.stderr)
if problems:
    raise SystemExit(f"page: {len(set(problems))} problems; screenshots are in {shots}")
print(f"page: {first['contents']} entries, {first['citations']} citations, {first['charts']} charts with {first['data']} linked data, "
      f"{first['provenance']} provenance graphs, {pages} printed pages, {len(MODES)} modes, no problem")
