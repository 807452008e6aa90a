// What a view shows is read when it opens, and again whenever the server tells that it has changed. Nothing is asked while nothing
// changes.

import { type ChangesLink, type Kind, subscribe } from "./changes.ts";
import { type Api, type ApiError, isRefusal, told } from "./http.ts";

export interface Watch {
  /** The kinds of records that it shows. */
  of: readonly Kind[];
  read(signal: AbortSignal): Promise<void>;
  /**
   * How what is shown stands: `lost` from when the server was lost until all has been read again, and nothing while what is
   * asked is refused.
   */
  onLink(link: ChangesLink | undefined): void;
  /** The server will never answer this: the question is wrong, or the key is. */
  onRefused(error: ApiError): void;
}

export interface Watching {
  /** Reads at once, also what was refused. */
  now(): void;
  stop(): void;
}

/** The first reading waits at most this long for the stream to open, in milliseconds. */
const PATIENCE = 200;
/** From the beginning of a reading to that of the next one, in milliseconds, and as a multiple of how long it took. */
const SHORTEST = 300;
const TIMES = 3;
/** A reading that failed while the stream is there is tried again after a time between these, in milliseconds. */
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15_000;

/** Reads, and reads again, until it is stopped. Of a saved export, in which nothing changes, it reads once. */
export function watch(api: Api, of: Watch): Watching {
  let stream: ChangesLink = { state: "connecting" };
  /** Why what is shown may be of before. */
  let behind: string | undefined;
  let reading: AbortController | undefined;
  /** Whether something changed since the reading under way began. */
  let isStale = false;
  let isRefused = false;
  let hasBegun = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next reading may begin. */
  let next = 0;
  let wait = FIRST_WAIT;

  const tell = () => {
    if (isRefused) of.onLink(undefined);
    else of.onLink(behind === undefined ? stream : { state: "lost", reason: behind });
  };
  const plan = (at: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // Nobody looks at a hidden tab. When it is seen again, the stream begins with every kind of records.
      if (!document.hidden) void read();
    }, Math.max(0, at - Date.now()));
  };
  const read = async () => {
    clearTimeout(timer);
    reading?.abort();
    const mine = new AbortController();
    reading = mine;
    isStale = false;
    isRefused = false;
    hasBegun = true;
    const began = Date.now();
    let again: number | undefined;
    try {
      await of.read(mine.signal);
      if (mine.signal.aborted) return;
      wait = FIRST_WAIT;
      // While the stream is lost, what changes after this reading is not told.
      if (stream.state !== "lost") behind = undefined;
    } catch (error) {
      if (mine.signal.aborted) return;
      if (isRefusal(error)) {
        isRefused = true;
        reading = undefined;
        tell();
        of.onRefused(error);
        return;
      }
      behind = told(error);
      // A stream that is lost says when the server is there again.
      if (stream.state !== "lost") again = Date.now() + wait;
      wait = Math.min(2 * wait, LONGEST_WAIT);
    }
    reading = undefined;
    next = Math.max(again ?? 0, began + Math.max(SHORTEST, TIMES * (Date.now() - began)));
    tell();
    if (isStale || again !== undefined) plan(next);
  };
  const changed = () => {
    if (isRefused) return;
    if (reading !== undefined) isStale = true;
    else plan(next);
  };
  const onLink = (link: ChangesLink) => {
    stream = link;
    if (link.state === "lost") behind = link.reason;
    // Nothing but another try tells whether the server is there again.
    const isTried = link.state === "untold" && behind !== undefined;
    if (isTried || (!hasBegun && "reason" in link)) changed();
    tell();
  };

  const leave = api.isSaved ? () => {} : subscribe(api, { of: of.of, onChanged: changed, onLink });
  // A stream that opens begins with every kind of records: what is read then need not be read twice.
  if (!api.isSaved && stream.state === "connecting" && !document.hidden) plan(Date.now() + PATIENCE);
  else void read();
  return {
    now: () => void read(),
    stop: () => {
      leave();
      clearTimeout(timer);
      reading?.abort();
    },
  };
}
