// What the server answers to a view, asked again when it changes; the last answer stays until there is another.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Kind } from "../../api/changes.ts";
import { type Api, told } from "../../api/http.ts";
import { watch, type Watching } from "../../api/watch.ts";
import { api, setLink } from "../../connection.ts";

export interface Kept<T> {
  answer: T | undefined;
  /** Why the server refuses it, or is not reached. */
  problem: string | undefined;
  refresh: () => void;
}

/** Asks at once, and again when records of these kinds change. */
export function useKept<T>(
  of: readonly Kind[],
  ask: (api: Api, signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
): Kept<T> {
  const answer = useSignal<T | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const watching = useRef<Watching>(undefined);
  useEffect(() => {
    answer.value = undefined;
    problem.value = undefined;
    const asked = api.value;
    watching.current = watch(asked, {
      of,
      read: async (signal) => {
        answer.value = await ask(asked, signal);
        problem.value = undefined;
      },
      onLink: (link) => {
        setLink(watching, link);
        if (link?.state === "lost" && answer.peek() === undefined) problem.value = `${link.reason} Trying again.`;
      },
      onRefused: (error) => {
        problem.value = told(error);
      },
    });
    return () => {
      watching.current?.stop();
      setLink(watching, undefined);
    };
  }, [api.value, ...keys]);
  return { answer: answer.value, problem: problem.value, refresh: () => watching.current?.now() };
}
