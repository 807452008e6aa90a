// What the server answers to a view that asks again and again; the last answer stays until there is another.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Api, told } from "../../api/http.ts";
import { api, streamLink } from "../../connection.ts";
import { poll, type Polling } from "../poll.ts";

export interface Kept<T> {
  answer: T | undefined;
  /** Why the server refuses it, or is not reached. */
  problem: string | undefined;
  refresh: () => void;
}

/** Asks every so many milliseconds. */
export function useKept<T>(
  ask: (api: Api, signal: AbortSignal) => Promise<T>,
  every: number,
  keys: readonly unknown[],
): Kept<T> {
  const answer = useSignal<T | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const polling = useRef<Polling>(undefined);
  useEffect(() => {
    answer.value = undefined;
    problem.value = undefined;
    polling.current = poll({
      ask: async (signal) => {
        answer.value = await ask(api.value, signal);
        problem.value = undefined;
        return every;
      },
      onLink: (link) => {
        streamLink.value = link.state === "lost" ? link : undefined;
        if (link.state === "lost" && answer.peek() === undefined) problem.value = `${link.reason} Trying again.`;
      },
      onRefused: (error) => {
        problem.value = told(error);
      },
    });
    return () => {
      polling.current?.stop();
      streamLink.value = undefined;
    };
  }, [api.value, ...keys]);
  return { answer: answer.value, problem: problem.value, refresh: () => polling.current?.now() };
}
