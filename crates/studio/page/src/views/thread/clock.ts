// The server's time, as this page reckons it, and one beat for all that grows while a run is under way.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, streamLink } from "../../connection.ts";

/** Differences below this are those of the way here, in milliseconds. */
const NOTICED = 2000;

/** How far the server's clock is ahead of this one, by the `Date` of an answer. Of another origin it may be hidden. */
export function ahead(response: Response): number {
  const date = Date.parse(response.headers.get("date") ?? "");
  const by = date - Date.now();
  return Number.isNaN(by) || Math.abs(by) < NOTICED ? 0 : by;
}

export interface Clock {
  /** How far the server's clock is ahead of this one, in milliseconds. */
  by: number;
  /** Whether the server says that a run is under way; events that are read again may not yet tell of its end. */
  busy: boolean;
}

/** The time now, anew at every beat while anything `runs`. It stands still while the server is lost, and in a file. */
export function useNow(runs: boolean, { by, busy }: Clock, told: number): number {
  const beat = useSignal(0);
  const last = useRef(told);
  const live = runs && busy && !api.value.isSaved && streamLink.value?.state !== "lost";
  useEffect(() => {
    if (!live) return undefined;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const timer = setInterval(() => (beat.value += 1), calm ? 1000 : 200);
    return () => clearInterval(timer);
  }, [live]);
  if (live && beat.value >= 0) last.current = Math.max(Date.now() + by, told);
  return Math.max(last.current, told);
}
