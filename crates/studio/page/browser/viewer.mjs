// A page that goes from view to view, as a person does, and tells when a view stands still.

import { HANGS } from "./page.mjs";

export class Viewer {
  #served;
  #quiet;
  #outstanding = new Set();
  /** Whether something was done on the page, which is then loaded anew. */
  #touched = false;

  /** `page` is open at a view of the server. For `quiet` milliseconds nothing changes on a page that stands still. */
  constructor(page, served, quiet = 120) {
    this.#quiet = quiet;
    this.page = page;
    this.#served = served;
    const ends = (request) => this.#outstanding.delete(request);
    page.on("request", (request) => this.#outstanding.add(request));
    // A stream is open for as long as its view.
    page.on("response", (response) => {
      if (/event-stream/.test(response.headers()["content-type"] ?? "")) ends(response.request());
    });
    page.on("requestfinished", ends);
    page.on("requestfailed", ends);
  }

  /** Shows a view of `views.mjs`, and does there what a person does. */
  async show(view) {
    const { view: address, then } = typeof view === "string" ? { view } : view;
    await this.page.goto(this.#served.studio(address));
    if (this.#touched) await this.page.reload();
    await this.still();
    this.#touched = then !== undefined;
    if (then === undefined) return;
    await then(this.page);
    await this.still();
  }

  /** Waits until no answer is outstanding and nothing changes. */
  async still() {
    await this.page.getByRole("heading").first().waitFor();
    for (const end = Date.now() + HANGS; ; ) {
      await this.page.evaluate(quiet, this.#quiet);
      if (this.#outstanding.size === 0) return;
      if (Date.now() > end) throw new Error(`${this.page.url()} still asks ${[...this.#outstanding][0].url()}`);
    }
  }
}

/** In the page: waits until nothing has changed for a while, or, where something always does, for ten times as long. */
function quiet(milliseconds) {
  return new Promise((resolve) => {
    const end = () => {
      watch.disconnect();
      clearTimeout(late);
      requestAnimationFrame(() => resolve());
    };
    const late = setTimeout(end, 10 * milliseconds);
    let timer = setTimeout(end, milliseconds);
    const watch = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(end, milliseconds);
    });
    watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}
