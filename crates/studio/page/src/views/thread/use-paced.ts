// Work that follows something that changes often: one piece at a time, and the next one after a while.

import { useEffect, useRef } from "preact/hooks";

/** Does `work` at first and whenever `stand` is another, at most every `pace` milliseconds; `subject` begins anew. */
export function usePaced(
  subject: string,
  stand: string,
  pace: number,
  work: (signal: AbortSignal) => Promise<void>,
): void {
  const wanted = useRef<() => void>(() => undefined);
  const newest = useRef(work);
  newest.current = work;
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isBusy = false;
    let isWanted = false;
    const begin = () => {
      isWanted = false;
      isBusy = true;
      void newest.current(ended.signal).finally(() => {
        if (ended.signal.aborted) return;
        timer = setTimeout(() => {
          isBusy = false;
          if (isWanted) begin();
        }, pace);
      });
    };
    wanted.current = () => {
      if (isBusy) isWanted = true;
      else begin();
    };
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [subject, pace]);
  useEffect(() => wanted.current(), [subject, stand, pace]);
}
