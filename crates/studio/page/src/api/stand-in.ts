// A stand-in for the server, for tests: it counts what is asked, sends what a test tells, and is away when a test says so.

import { Api, ApiError } from "./http.ts";

type Sending = ReadableStreamDefaultController<Uint8Array>;

export class StandIn extends Api {
  /** The streams that are open. */
  readonly streams = new Set<Sending>();
  /** How often a stream was asked for. */
  asked = 0;
  /** What it refuses every request with: 0 is a server that is away. */
  refusal: number | undefined;

  constructor(override readonly isSaved: boolean = false) {
    super("", undefined);
  }

  override async send(_: string, __: string, ___?: unknown, signal?: AbortSignal): Promise<Response> {
    this.asked += 1;
    if (this.refusal !== undefined) throw new ApiError(this.refusal, `refused: ${this.refusal}`);
    let sending: Sending | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        sending = controller;
        this.streams.add(controller);
      },
      cancel: () => {
        if (sending !== undefined) this.streams.delete(sending);
      },
    });
    signal?.addEventListener("abort", () => {
      if (sending === undefined || !this.streams.delete(sending)) return;
      sending.error(new Error("aborted"));
    });
    return new Response(body);
  }

  /** Tells all streams that records of these kinds have changed. */
  tell(...of: string[]): void {
    const text = `:\n\nevent: changed\ndata: ${JSON.stringify({ of })}\n\n`;
    for (const stream of this.streams) stream.enqueue(new TextEncoder().encode(text));
  }

  /** Goes away: its streams end, and requests are refused from now on. */
  leave(): void {
    this.refusal = 0;
    for (const stream of this.streams) stream.close();
    this.streams.clear();
  }
}

/** A stand-in for a tab of the browser and its time, which passes when a test says so. */
export class Tab extends EventTarget {
  hidden = false;
  private now = 0;
  private last = 0;
  private readonly timers = new Map<number, { at: number; ring: () => void }>();

  /** Takes the place of what the browser has. */
  constructor() {
    super();
    Object.assign(globalThis, {
      document: this,
      setTimeout: (ring: () => void, wait = 0) => {
        this.last += 1;
        this.timers.set(this.last, { at: this.now + wait, ring });
        return this.last;
      },
      clearTimeout: (timer: number) => this.timers.delete(timer),
    });
    Date.now = () => this.now;
  }

  see(isSeen: boolean): void {
    this.hidden = !isSeen;
    this.dispatchEvent(new Event("visibilitychange"));
  }

  /** Lets time pass, and all be done that is due. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    for (;;) {
      await settled();
      const due = [...this.timers].filter(([, timer]) => timer.at <= end);
      const [first] = due.sort(([, one], [, other]) => one.at - other.at);
      if (first === undefined) break;
      const [id, { at, ring }] = first;
      this.timers.delete(id);
      this.now = Math.max(this.now, at);
      ring();
    }
    this.now = end;
  }
}

/** Waits until all is done that waits for no timer. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => (port1.close(), resolve());
      port2.postMessage(undefined);
    });
  }
}
