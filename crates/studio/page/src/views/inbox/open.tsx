// The questions of one thread, read again when it changes: an answer may lead to the next question.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ApiError } from "../../api/http.ts";
import type { Thread } from "../../api/types.ts";
import { watch, type Watching } from "../../api/watch.ts";
import { api } from "../../connection.ts";
import { Badge, Empty, Problem } from "../../parts/basics.tsx";
import { Questions } from "../thread/questions.tsx";
import { openQuestions } from "./questions.ts";

export function OpenThread({ thread, onChange }: { thread: string; onChange: () => void }): JSX.Element {
  const record = useSignal<Thread | undefined>(undefined);
  const refused = useSignal<string | undefined>(undefined);
  const lost = useSignal<string | undefined>(undefined);
  const watching = useRef<Watching>(undefined);
  useEffect(() => {
    watching.current = watch(api.value, {
      of: ["threads"],
      read: async (signal) => {
        const read = await api.value.get<Thread>(`/threads/${encodeURIComponent(thread)}`, signal);
        const before = record.peek();
        record.value = read;
        if (before !== undefined && before.status !== read.status) onChange();
      },
      onLink: (link) => (lost.value = link?.state === "lost" ? link.reason : undefined),
      onRefused: (error: ApiError) => (refused.value = error.message),
    });
    return () => watching.current?.stop();
  }, [thread]);
  const read = record.value;
  const questions = useMemo(() => (read === undefined ? [] : openQuestions(read)), [JSON.stringify(read?.interrupts)]);
  if (refused.value !== undefined) return <Problem>{refused.value}</Problem>;
  if (read === undefined) return <Empty>{lost.value ?? "Reading …"}</Empty>;
  return (
    <>
      <p class="row">
        <strong>{typeof read.metadata.graph_id === "string" ? read.metadata.graph_id : ""}</strong>
        <Badge status={read.status === "interrupted" ? "asking" : read.status} />
        {lost.value !== undefined && <span class="badge is-failed">{lost.value}</span>}
      </p>
      <Questions thread={thread} questions={questions} onSettled={() => watching.current?.now()} />
    </>
  );
}
