// What the server tells of all its records: which kinds of them have changed. Browsers open few connections to one host, so
// all views of a tab of the browser share one stream. It is closed while nobody sees the tab.
//
// The first event of a stream names every kind: whoever was away reads everything again.

import type { Api } from "./http.ts";
import { hold, type Link } from "./stream.ts";

export type Kind = "runs" | "threads" | "assistants" | "crons" | "store";

/** `untold` where the server does not tell of changes, with the reason. */
export type ChangesLink = Link | { state: "untold"; reason: string };

export interface Subscriber {
  of: readonly Kind[];
  /** Records of these kinds have changed. */
  onChanged(): void;
  onLink(link: ChangesLink): void;
}

/** The stream outlives its last subscriber by this long, for the one of the next view, in milliseconds. */
const LINGER = 1000;

const OLDER = "The server is older than this page, and does not tell what changes.";

class Changes {
  private readonly subscribers = new Set<Subscriber>();
  private link: ChangesLink = { state: "connecting" };
  private stream: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly api: Api) {}

  add(subscriber: Subscriber): () => void {
    clearTimeout(this.timer);
    if (this.subscribers.size === 0) document.addEventListener("visibilitychange", this.onSeen);
    this.subscribers.add(subscriber);
    this.open();
    subscriber.onLink(this.link);
    return () => {
      this.subscribers.delete(subscriber);
      if (this.subscribers.size === 0) this.timer = setTimeout(() => this.close(), LINGER);
    };
  }

  close(): void {
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.onSeen);
    this.stream?.abort();
    this.stream = undefined;
  }

  private readonly onSeen = (): void => {
    if (!document.hidden) return this.open();
    this.stream?.abort();
    this.stream = undefined;
  };

  private open(): void {
    if (this.stream !== undefined || document.hidden) return;
    const stream = new AbortController();
    this.stream = stream;
    const held = {
      open: (signal: AbortSignal) => this.api.send("GET", "/changes", undefined, signal),
      onFrame: (frame: { event: string; data: string }) => {
        if (frame.event === "changed") this.tell(kindsIn(frame.data));
      },
      onLink: (link: Link) => this.stand(link),
      onRefused: (error: { status: number; message: string }) => {
        this.stream = undefined;
        this.stand({ state: "untold", reason: error.status === 404 ? OLDER : error.message });
      },
    };
    void hold(held, stream.signal);
  }

  private stand(link: ChangesLink): void {
    this.link = link;
    for (const subscriber of [...this.subscribers]) subscriber.onLink(link);
  }

  /** `undefined` is every kind. */
  private tell(kinds: ReadonlySet<unknown> | undefined): void {
    for (const subscriber of [...this.subscribers]) {
      if (kinds === undefined || subscriber.of.some((kind) => kinds.has(kind))) subscriber.onChanged();
    }
  }
}

/** The kinds that an event names; `undefined` where it names none, and each may have changed. */
function kindsIn(data: string): ReadonlySet<unknown> | undefined {
  const { of } = JSON.parse(data) as { of?: unknown };
  return Array.isArray(of) ? new Set(of) : undefined;
}

/** The one stream of this tab. */
let changes: Changes | undefined;

/** Subscribes to changes until the returned function is called. Another server or key takes the place of the one before. */
export function subscribe(api: Api, subscriber: Subscriber): () => void {
  if (changes?.api !== api) {
    changes?.close();
    changes = new Changes(api);
  }
  return changes.add(subscriber);
}
