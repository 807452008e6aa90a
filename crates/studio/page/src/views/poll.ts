// Asks the server again and again, as long as the tab is seen. A server that is lost is asked less and less often.

import { ApiError, told } from "../api/http.ts";
import type { Link } from "../api/events.ts";

const LONGEST_WAIT = 15_000;

export interface Poll {
  /** Asks, and says how long to wait before the next time, in milliseconds. */
  ask(signal: AbortSignal): Promise<number>;
  onLink(link: Link): void;
  /** The server will never answer this: the question is wrong, or the key is. */
  onRefused(error: ApiError): void;
}

export interface Polling {
  /** Asks at once. */
  now(): void;
  stop(): void;
}

/** Asks at once, and then until it is stopped. */
export function poll(of: Poll): Polling {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;
  let failures = 0;
  let stopped = false;

  const ask = async () => {
    clearTimeout(timer);
    asking?.abort();
    const mine = new AbortController();
    asking = mine;
    let wait: number;
    try {
      wait = await of.ask(mine.signal);
      if (mine.signal.aborted) return;
      failures = 0;
      of.onLink({ state: "live" });
    } catch (error) {
      if (mine.signal.aborted) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        of.onRefused(error);
        return;
      }
      failures += 1;
      wait = Math.min(1000 * 2 ** failures, LONGEST_WAIT);
      of.onLink({ state: "lost", reason: told(error) });
    } finally {
      if (asking === mine) asking = undefined;
    }
    // Nobody looks at a hidden tab: the next question is asked when it is seen again.
    if (!stopped && !document.hidden) timer = setTimeout(() => void ask(), wait);
  };
  const onSeen = () => {
    clearTimeout(timer);
    if (!document.hidden && asking === undefined) void ask();
  };
  document.addEventListener("visibilitychange", onSeen);
  void ask();
  return {
    now: () => void ask(),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      asking?.abort();
      document.removeEventListener("visibilitychange", onSeen);
    },
  };
}
