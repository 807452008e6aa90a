// The form of a schedule, of a new one or of one that is there.

import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { told } from "../../api/http.ts";
import type { Json, JsonObject, Schemas } from "../../api/types.ts";
import { api } from "../../connection.ts";
import { Problem } from "../../parts/basics.tsx";
import { type Draft, draftOf, EitherForm, focusProblem, problemsOf } from "../../parts/form/index.ts";
import { isObject } from "../../parts/json-values.ts";
import { route } from "../../route.ts";
import { stayingKeys } from "../assistants/body.ts";
import { Box } from "../listing/box.tsx";
import { type Refusal, refusalOf, shownAt } from "../listing/refused.ts";
import { bodyOfChange, bodyOfNew, type Written } from "./body.ts";
import { type Completion, type Cron, localOf } from "./cron.ts";
import { inWords } from "./words.ts";

const OBJECT: JsonObject = { type: "object" };
const FIELDS = ["schedule", "timezone", "end_time", "thread_id", "input", "context", "metadata", "on_run_completed"];
const SIDES = ["input", "context", "metadata"] as const;
type Sides = Record<(typeof SIDES)[number], Draft>;

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** The names of time zones that the browser knows; the server may know others. */
const ZONES = typeof Intl.supportedValuesOf === "function" ? Intl.supportedValuesOf("timeZone") : [];

export function ScheduleForm({
  assistant,
  schemas,
  before,
  onDone,
  onCancel,
}: {
  assistant: string;
  schemas: Schemas;
  /** The schedule that is changed. */
  before?: Cron;
  onDone: (cron: Cron) => void;
  onCancel?: () => void;
}): JSX.Element {
  const zones = useId();
  const of: Record<keyof Sides, JsonObject | null> = {
    input: schemas.input_schema,
    context: schemas.context_schema,
    metadata: OBJECT,
  };
  const [sides, setSides] = useState<Sides>(() => ({
    input: draftOf(of.input, before?.payload.input ?? undefined),
    context: draftOf(of.context, before?.payload.context ?? undefined),
    metadata: { ...draftOf(OBJECT, before?.metadata ?? {}), as: "json" },
  }));
  const [first] = useState(sides);
  const [schedule, setSchedule] = useState(before?.schedule ?? "");
  const [timezone, setTimezone] = useState(before?.timezone ?? "");
  const [end, setEnd] = useState(() => localOf(before?.end_time ?? null));
  const [completion, setCompletion] = useState<Completion>(before?.on_run_completed ?? "delete");
  const asked = route.value.query.get("thread") ?? "";
  const [onThread, setOnThread] = useState(asked !== "");
  const [thread, setThread] = useState(asked);
  const [wasSent, setSent] = useState(false);
  const [isSending, setSending] = useState(false);
  const [said, say] = useState<string>();
  const [refusal, setRefusal] = useState<Refusal>();
  const form = useRef<HTMLFormElement>(null);

  const hasThread = before === undefined ? onThread : before.thread_id !== null;
  const takesContext = of.context !== null || !!before?.payload.context;
  const wrong = (side: keyof Sides): ReadonlyMap<string, string> => {
    if (side === "context" && !takesContext) return new Map();
    const draft = side === "metadata" ? { ...sides.metadata, value: sides.metadata.value ?? {} } : sides[side];
    const problems = problemsOf(of[side], draft);
    if (problems.size > 0 || side !== "metadata" || before === undefined) return problems;
    const stay = stayingKeys(before.metadata, objectOf(draft.value));
    return stay === undefined ? problems : new Map([["", stay]]);
  };
  const missing: Record<string, string | undefined> = {
    schedule: schedule.trim() === "" ? "A schedule is needed." : undefined,
    thread_id: before === undefined && onThread && thread.trim() === "" ? "The id of a thread is needed." : undefined,
    end_time: before?.end_time && end === "" ? "The server takes no end away. Set one that is far off." : undefined,
  };
  const at = (part: string) => (refusal?.part === part ? refusal.message : wasSent ? missing[part] : undefined);
  const shown = (side: keyof Sides) => shownAt(side, wasSent ? wrong(side) : new Map<string, string>(), refusal);
  const touch = (part: string) => {
    if (refusal?.part === part) setRefusal(undefined);
    say(undefined);
  };
  const change = (side: keyof Sides) => (draft: Draft) => {
    setSides((all) => ({ ...all, [side]: draft }));
    touch(side);
  };
  const written = (from: Sides): Written => ({
    schedule,
    timezone,
    end,
    completion,
    input: from.input.value,
    context: takesContext ? from.context.value : undefined,
    metadata: objectOf(from.metadata.value),
  });
  const send = async () => {
    setSent(true);
    setRefusal(undefined);
    say(undefined);
    const isMissing = Object.values(missing).some((one) => one !== undefined);
    if (isMissing || SIDES.some((side) => wrong(side).size > 0)) return focusProblem(form.current);
    const now = written(sides);
    const body =
      before === undefined
        ? bodyOfNew(assistant, now, onThread)
        : bodyOfChange(before, { ...written(first), completion: before.on_run_completed ?? "delete" }, now);
    const isSame = before !== undefined && Object.keys(body).length === 0;
    if (isSame) return say("Nothing differs: the schedule stays as it is.");
    setSending(true);
    try {
      const on = onThread ? `/threads/${encodeURIComponent(thread.trim())}` : "";
      const [method, path] =
        before === undefined ? ["POST", `${on}/runs/crons`] : ["PATCH", `/runs/crons/${before.cron_id}`];
      onDone(await api.value.json<Cron>(method, path, body));
    } catch (error) {
      setRefusal(refusalOf(told(error)));
      focusProblem(form.current);
    } finally {
      setSending(false);
    }
  };
  const words = inWords(schedule);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <section class="card form" aria-labelledby="schedule-when">
        <h2 id="schedule-when">When</h2>
        <Box
          label="Schedule"
          problem={at("schedule")}
          hint={
            <>
              Minute, hour, day of the month, month, day of the week: <code>0 9 * * MON-FRI</code>.{" "}
              <span role="status">{words !== undefined && `This is ${words}.`}</span>
            </>
          }
        >
          {(tied) => (
            <input
              {...tied}
              type="text"
              class="mono"
              autocomplete="off"
              spellcheck={false}
              value={schedule}
              onInput={(event) => {
                setSchedule(event.currentTarget.value);
                touch("schedule");
              }}
            />
          )}
        </Box>
        <Box label="Time zone" problem={at("timezone")} hint={`Empty is UTC. Yours is ${zone}.`}>
          {(tied) => (
            <>
              <input
                {...tied}
                type="text"
                list={zones}
                autocomplete="off"
                spellcheck={false}
                placeholder="UTC"
                value={timezone}
                onInput={(event) => {
                  setTimezone(event.currentTarget.value);
                  touch("timezone");
                }}
              />
              <datalist id={zones}>
                {ZONES.map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            </>
          )}
        </Box>
        <Box
          label="End"
          problem={at("end_time")}
          hint={`From then on it runs no more; empty is never. In your time, ${zone}.`}
        >
          {(tied) => (
            <input
              {...tied}
              type="datetime-local"
              value={end}
              onInput={(event) => {
                setEnd(event.currentTarget.value);
                touch("end_time");
              }}
            />
          )}
        </Box>
      </section>
      <section class="card form" aria-labelledby="schedule-thread">
        <h2 id="schedule-thread">Thread</h2>
        {before === undefined ? (
          <div class="row" role="radiogroup" aria-labelledby="schedule-thread">
            <label class="row">
              <input type="radio" name="schedule-thread" checked={!onThread} onChange={() => setOnThread(false)} />
              a new one for each run
            </label>
            <label class="row">
              <input type="radio" name="schedule-thread" checked={onThread} onChange={() => setOnThread(true)} />
              one that is there
            </label>
          </div>
        ) : (
          <p>{before.thread_id === null ? "A new one for each run." : <code>{before.thread_id}</code>}</p>
        )}
        {before === undefined && onThread && (
          <Box label="Id of the thread" problem={at("thread_id")}>
            {(tied) => (
              <input
                {...tied}
                type="text"
                class="mono"
                autocomplete="off"
                spellcheck={false}
                value={thread}
                onInput={(event) => {
                  setThread(event.currentTarget.value);
                  touch("thread_id");
                }}
              />
            )}
          </Box>
        )}
        {!hasThread && (
          <Box label="When a run has ended, its thread" problem={at("on_run_completed")}>
            {(tied) => (
              <select
                {...tied}
                value={completion}
                onChange={(event) => setCompletion(event.currentTarget.value as Completion)}
              >
                <option value="delete">is deleted, with the run (delete)</option>
                <option value="keep">stays (keep)</option>
              </select>
            )}
          </Box>
        )}
      </section>
      <section class="card" aria-labelledby="schedule-input">
        <h2 id="schedule-input">Input</h2>
        <EitherForm
          schema={of.input}
          draft={sides.input}
          problems={shown("input")}
          label="Input"
          onChange={change("input")}
        />
      </section>
      {takesContext && (
        <section class="card" aria-labelledby="schedule-context">
          <h2 id="schedule-context">Context</h2>
          <EitherForm
            schema={of.context}
            draft={sides.context}
            problems={shown("context")}
            label="Context"
            onChange={change("context")}
          />
        </section>
      )}
      <section class="card">
        <details open={refusal?.part === "metadata" || (wasSent && wrong("metadata").size > 0) || undefined}>
          <summary>
            <h2>Metadata</h2>
          </summary>
          <p class="hint">Its runs have it, too, with the id of the schedule as cron_id.</p>
          <EitherForm
            schema={OBJECT}
            draft={sides.metadata}
            problems={shown("metadata")}
            label="Metadata"
            onChange={change("metadata")}
          />
        </details>
      </section>
      <div class="start-send">
        {refusal !== undefined && !FIELDS.includes(refusal.part) && <Problem>{refusal.message}</Problem>}
        <p class="row">
          <button type="submit" class="primary" disabled={isSending}>
            {isSending ? "Sending …" : before === undefined ? "Make it" : "Change it"}
          </button>
          {onCancel !== undefined && (
            <button type="button" onClick={onCancel}>
              Cancel
            </button>
          )}
          <span role="status" class="quiet">
            {said}
          </span>
        </p>
      </div>
    </form>
  );
}
