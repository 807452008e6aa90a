// The events of a thread that are stored: the stream without what comes only because it is waited for.
//
// A stream does not say where what is stored ends. It has come when the newest commit and the end of the last run are
// told and nothing follows; where they are never told, as of a copied thread, a longer silence says it.

import type { ThreadEvent } from "../api/events.ts";
import { type Api, ApiError } from "../api/http.ts";
import { frames } from "../api/sse.ts";
import { CHANNELS, TRACE } from "../run/fold.ts";

/** What is told at least. */
export interface Told {
  /** The newest checkpoint that a run made. */
  checkpoint: string | undefined;
  /** Whether the last run has ended. */
  isOver: boolean;
}

/** Milliseconds of a beat. Silence is counted in them: a page that was held up takes its own pause for one beat. */
const BEAT = 100;
/** Beats of silence after all is told. */
const SHORT = 3;
/** Beats of silence after which a thread is taken to have told nothing. */
const NOTHING = 30;
/** Beats of silence after which nothing more is waited for, and in which a stream is to begin. */
const LONG = 100;
/** Beats in which a run that is under way is listened to, after what was stored has come. */
const LIVE = 10;

/** Looks at each event, and knows when all that is to be told has been. */
class Listening {
  private hasCheckpoint: boolean;
  private isRunning = false;
  private begun = false;

  constructor(private readonly told: Told) {
    this.hasCheckpoint = told.checkpoint === undefined;
  }

  take(event: ThreadEvent): void {
    if (event.params.namespace.length > 0) return;
    const { data } = event.params;
    if (event.method === "checkpoints" && data.id === this.told.checkpoint) this.hasCheckpoint = true;
    if (event.method !== "lifecycle") return;
    this.begun = true;
    this.isRunning = data.event === "running" || data.event === "started";
  }

  get isAll(): boolean {
    return this.hasCheckpoint && (!this.told.isOver || !this.isRunning);
  }

  get isNothing(): boolean {
    return !this.begun;
  }
}

/** The events, each with its JSON as it came; at the end, whether all were told that are known of. */
export async function* storedEvents(
  api: Api,
  thread: string,
  told: Told,
  signal: AbortSignal,
): AsyncGenerator<{ event: ThreadEvent; text: string }, boolean> {
  const enough = new AbortController();
  const stop = () => enough.abort();
  signal.addEventListener("abort", stop, { once: true });
  const listening = new Listening(told);
  let silent: number | undefined = 0;
  let live = 0;
  let isOpen = false;
  const beat = setInterval(() => {
    // While an event is written down, nothing is waited for.
    if (silent === undefined) return;
    silent += 1;
    if (isOpen && listening.isAll) live += 1;
    const patience = isOpen && listening.isAll ? SHORT : isOpen && listening.isNothing ? NOTHING : LONG;
    if (silent >= patience || (live >= LIVE && !told.isOver)) stop();
  }, BEAT);
  try {
    const body = await opened(api, thread, enough.signal);
    isOpen = true;
    silent = 0;
    for await (const together of frames(body)) {
      for (const frame of together) {
        const event = JSON.parse(frame.data) as ThreadEvent & { type: string; message?: string };
        if (event.type !== "event") {
          throw new ApiError(0, event.message ?? "The server cannot read the events of this thread.");
        }
        listening.take(event);
        silent = undefined;
        yield { event, text: frame.data.includes("\n") ? JSON.stringify(event) : frame.data };
        silent = 0;
        if (enough.signal.aborted) break;
      }
      if (enough.signal.aborted) break;
    }
    if (!enough.signal.aborted && !listening.isAll) {
      throw new ApiError(0, "The server ended the stream of events before all were told.");
    }
  } catch (error) {
    if (!enough.signal.aborted) throw error;
    if (!isOpen && !signal.aborted) throw new ApiError(0, "The server does not begin to send the events.");
  } finally {
    clearInterval(beat);
    signal.removeEventListener("abort", stop);
    stop();
  }
  signal.throwIfAborted();
  return listening.isAll || listening.isNothing;
}

async function opened(api: Api, thread: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const path = `/threads/${encodeURIComponent(thread)}/stream/events`;
  const ask = (channels: string[]) => api.send("POST", path, { channels }, signal);
  let response: Response;
  try {
    response = await ask([...CHANNELS, TRACE]);
  } catch (error) {
    // An older server has no attempts to tell.
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    response = await ask(CHANNELS);
  }
  if (response.body === null) throw new ApiError(0, "The server sent no stream.");
  return response.body;
}
