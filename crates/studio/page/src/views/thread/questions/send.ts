// Sends answers, and waits for what the run that takes them comes to.

import type { Api } from "../../../api/http.ts";
import type { Json, JsonObject, Run, Thread } from "../../../api/types.ts";
import { isWithin, keysOf, placeOfPath } from "../../../parts/form/pointer.ts";
import { isObject } from "../../../parts/json-values.ts";

/** Starts the run that goes on with the answers, as an assistant of the thread. */
export async function sendAnswers(api: Api, thread: string, answers: ReadonlyMap<string, Json>): Promise<Run> {
  const { metadata } = await api.get<Thread>(`/threads/${thread}`);
  let assistant = metadata.assistant_id ?? metadata.graph_id;
  if (typeof assistant !== "string") {
    const [newest] = await api.get<Run[]>(`/threads/${thread}/runs?limit=1`);
    assistant = newest?.assistant_id ?? "";
  }
  // A question that is open no more is refused and not passed over in silence.
  const command: JsonObject = { resume: Object.fromEntries(answers) };
  return api.post<Run>(`/threads/${thread}/runs`, { assistant_id: assistant, command, strict_resume: true });
}

/** Why the run failed, when it has ended; nothing where it did not. */
export async function failureOf(api: Api, run: Run, signal: AbortSignal): Promise<string | undefined> {
  const outcome = await api.get<Json>(`/threads/${run.thread_id}/runs/${run.run_id}/join`, signal);
  const error = isObject(outcome) ? outcome.__error__ : undefined;
  return isObject(error) ? String(error.message ?? "The run failed.") : undefined;
}

/** The question and the place in its answer that a refusal names, where it names one. */
export function refusedAnswer(message: string, ids: readonly string[]): { id: string; place: string } | undefined {
  const path = /\bat `([^`]+)`/.exec(message)?.[1];
  const place = path === undefined ? undefined : placeOfPath(path);
  for (const id of ids) {
    const at = `/command/resume/${id}`;
    if (place !== undefined && isWithin(place, at)) return { id, place: place.slice(at.length) };
  }
  const only = ids.length === 1 ? ids[0] : undefined;
  if (only === undefined) return undefined;
  // With one answer, what does not fit is that one.
  const isOfAnswer = place !== undefined && keysOf(place)[0] !== "command";
  if (/\banswer\b/.test(message)) return { id: only, place: isOfAnswer ? place : "" };
  return undefined;
}
