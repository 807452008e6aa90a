// What the server answers to a view that asks once.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Api, told } from "../../api/http.ts";
import { api } from "../../connection.ts";

export type Asked<T> = { state: "asking" } | { state: "answered"; answer: T } | { state: "failed"; reason: string };

/** Asks whenever `keys` change, and forgets the answer before. */
export function useAsked<T>(
  ask: (api: Api, signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
): Signal<Asked<T>> {
  const asked = useSignal<Asked<T>>({ state: "asking" });
  useEffect(() => {
    const asking = new AbortController();
    asked.value = { state: "asking" };
    ask(api.value, asking.signal).then(
      (answer) => {
        if (!asking.signal.aborted) asked.value = { state: "answered", answer };
      },
      (error: unknown) => {
        if (!asking.signal.aborted) asked.value = { state: "failed", reason: told(error) };
      },
    );
    return () => asking.abort();
  }, [api.value, ...keys]);
  return asked;
}
