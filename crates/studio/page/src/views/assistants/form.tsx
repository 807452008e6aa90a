// The form of an assistant, of a new one or of the next version of one.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { told } from "../../api/http.ts";
import type { Assistant, Json, JsonObject, Schemas } from "../../api/types.ts";
import { api } from "../../connection.ts";
import { Problem } from "../../parts/basics.tsx";
import { type Draft, draftOf, EitherForm, focusProblem, problemsOf } from "../../parts/form/index.ts";
import { isObject } from "../../parts/json-values.ts";
import { Box } from "../listing/box.tsx";
import { type Refusal, refusalOf, shownAt } from "../listing/refused.ts";
import { bodyOfChange, bodyOfNew, configOf, stayingKeys, type Written } from "./body.ts";

const OBJECT: JsonObject = { type: "object" };
const SIDES = ["context", "metadata", "config"] as const;
const FIELDS: readonly string[] = ["name", "description", ...SIDES];
type Sides = Record<(typeof SIDES)[number], Draft>;

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const raw = (value: JsonObject | undefined): Draft => ({ ...draftOf(OBJECT, value ?? {}), as: "json" });

export function AssistantForm({
  graph,
  schemas,
  before: given,
  onDone,
  onCancel,
}: {
  graph: string;
  /** What the graph takes; nothing where it is not known. */
  schemas: Schemas | undefined;
  /** The version that is changed. */
  before?: Assistant;
  onDone: (made: Assistant) => void;
  onCancel?: () => void;
}): JSX.Element {
  // Another version that comes while a person writes does not take away what was written.
  const [before] = useState(given);
  const schema = schemas?.context_schema;
  const takesContext = schema !== null || Object.keys(before?.context ?? {}).length > 0;
  const contextSchema = schema ?? OBJECT;
  const [name, setName] = useState(before?.name ?? "");
  const [description, setDescription] = useState(before?.description ?? "");
  const [sides, setSides] = useState<Sides>(() => ({
    context: schema ? draftOf(schema, before?.context) : raw(before?.context),
    metadata: raw(before?.metadata),
    config: raw(before && configOf(before)),
  }));
  const [wasSent, setSent] = useState(false);
  const [isSending, setSending] = useState(false);
  const [said, say] = useState<string>();
  const [refusal, setRefusal] = useState<Refusal>();
  const form = useRef<HTMLFormElement>(null);

  const wrong = (side: keyof Sides): ReadonlyMap<string, string> => {
    if (side === "context" && !takesContext) return new Map();
    const draft = sides[side];
    // A field without a text is an empty object.
    const of = { ...draft, value: draft.value ?? {} };
    const problems = problemsOf(side === "context" ? contextSchema : OBJECT, of);
    if (problems.size > 0 || side !== "metadata" || before === undefined) return problems;
    const stay = stayingKeys(before.metadata, objectOf(draft.value));
    return stay === undefined ? problems : new Map([["", stay]]);
  };
  const shown = (side: keyof Sides) => shownAt(side, wasSent ? wrong(side) : new Map<string, string>(), refusal);
  const change = (side: keyof Sides) => (draft: Draft) => {
    setSides((all) => ({ ...all, [side]: draft }));
    if (refusal?.part === side) setRefusal(undefined);
    say(undefined);
  };
  const send = async () => {
    setSent(true);
    setRefusal(undefined);
    say(undefined);
    if (SIDES.some((side) => wrong(side).size > 0)) return focusProblem(form.current);
    const written: Written = {
      graph,
      name,
      description,
      context: takesContext ? objectOf(sides.context.value) : {},
      metadata: objectOf(sides.metadata.value),
      config: objectOf(sides.config.value),
    };
    const body = before === undefined ? bodyOfNew(written) : bodyOfChange(before, written);
    const isSame = before !== undefined && Object.keys(body).length === 0;
    if (isSame) return say("Nothing differs from the current version: no new one is made.");
    setSending(true);
    try {
      const path = before === undefined ? "/assistants" : `/assistants/${before.assistant_id}`;
      onDone(await api.value.json<Assistant>(before === undefined ? "POST" : "PATCH", path, body));
    } catch (error) {
      setRefusal(refusalOf(told(error)));
      focusProblem(form.current);
    } finally {
      setSending(false);
    }
  };
  const at = (part: string) => (refusal?.part === part ? refusal.message : undefined);
  const action = before === undefined ? "Make it" : "Make the next version";
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <section class="card form">
        <Box
          label="Name"
          problem={at("name")}
          hint={before === undefined && "Without one the server calls it Untitled."}
        >
          {(tied) => (
            <input
              {...tied}
              type="text"
              autocomplete="off"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Box>
        <Box label="Description" problem={at("description")}>
          {(tied) => (
            <textarea
              {...tied}
              rows={2}
              value={description}
              onInput={(event) => setDescription(event.currentTarget.value)}
            />
          )}
        </Box>
      </section>
      <section class="card" aria-labelledby="assistant-context">
        <h2 id="assistant-context">Context</h2>
        {takesContext ? (
          <EitherForm
            schema={contextSchema}
            draft={sides.context}
            problems={shown("context")}
            label="Context"
            onChange={change("context")}
          />
        ) : (
          <p class="quiet">The graph takes no context.</p>
        )}
      </section>
      <section class="card" aria-labelledby="assistant-metadata">
        <h2 id="assistant-metadata">Metadata</h2>
        <EitherForm
          schema={OBJECT}
          draft={sides.metadata}
          problems={shown("metadata")}
          label="Metadata"
          onChange={change("metadata")}
        />
        {before !== undefined && <p class="hint">Keys are put over those there are; none is taken away.</p>}
      </section>
      <section class="card">
        <details open={refusal?.part === "config" || (wasSent && wrong("config").size > 0) || undefined}>
          <summary>
            <h2>Configuration</h2>
          </summary>
          <p class="hint">What its runs are given beside the context, such as recursion_limit and tags.</p>
          <EitherForm
            schema={OBJECT}
            draft={sides.config}
            problems={shown("config")}
            label="Configuration"
            onChange={change("config")}
          />
        </details>
      </section>
      <div class="start-send">
        {refusal !== undefined && !FIELDS.includes(refusal.part) && <Problem>{refusal.message}</Problem>}
        <p class="row">
          <button type="submit" class="primary" disabled={isSending}>
            {isSending ? "Making it …" : action}
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
