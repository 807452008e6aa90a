// What is chosen in the view: a task, and a source that is open. Both are in the address.

import { useRef } from "preact/hooks";
import { choose, route } from "../../../route.ts";

export interface Chosen {
  /** The key of the task. */
  part: string | undefined;
  /** The id of a passage of the source. */
  source: string | undefined;
  openPart: (key: string | undefined) => void;
  openSource: (id: string) => void;
  /** Closes the source, or else the task; focus goes back to where it was opened. */
  close: () => void;
}

export function useChosen(): Chosen {
  const { query } = route.value;
  const openers = useRef<HTMLElement[]>([]);
  const [part, source] = [query.get("part") ?? undefined, query.get("source") ?? undefined];
  const remember = () => {
    if (document.activeElement instanceof HTMLElement) openers.current.push(document.activeElement);
  };
  return {
    part,
    source,
    openPart: (key) => {
      openers.current = [];
      remember();
      choose({ part: key, source: undefined }, part !== undefined);
    },
    openSource: (id) => {
      remember();
      choose({ source: id }, source !== undefined);
    },
    close: () => {
      const back = openers.current.findLast((one) => one.isConnected);
      openers.current = [];
      choose(source === undefined ? { part: undefined } : { source: undefined }, true);
      (back ?? document.getElementById("wh-tree"))?.focus();
    },
  };
}
