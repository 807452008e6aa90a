// Something that a person asked the server to do: whether it is under way, and why it was refused.

import { useEffect, useRef, useState } from "preact/hooks";
import { told } from "../../api/http.ts";

export interface Doing {
  /** What is under way. */
  at: string | undefined;
  problem: string | undefined;
  /** Does it, unless something else is under way; what comes after is left out where the person went away meanwhile. */
  run: (what: string, act: () => Promise<unknown>, after: () => void) => void;
}

export function useDoing(): Doing {
  const [at, setAt] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  const run: Doing["run"] = (what, act, after) => {
    if (at !== undefined) return;
    setAt(what);
    setProblem(undefined);
    act().then(
      () => {
        if (isGone.current) return;
        setAt(undefined);
        after();
      },
      (error: unknown) => {
        setAt(undefined);
        setProblem(told(error));
      },
    );
  };
  return { at, problem, run };
}
