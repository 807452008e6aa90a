// Starts a run: of which graph, on which thread, with what input and context, and where it is to stop.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Api, ApiError, told } from "../api/http.ts";
import type { Assistant, JsonObject, Run, Schemas, Thread } from "../api/types.ts";
import { api, readOnly, whyReadOnly } from "../connection.ts";
import { Empty, Problem } from "../parts/basics.tsx";
import { type Draft, draftOf, EitherForm, focusProblem, problemsOf } from "../parts/form/index.ts";
import { go, link, route } from "../route.ts";
import { useAsked } from "./start/asked.ts";
import { type Breakpoints, bodyOf, refusedAt, type Strategy } from "./start/body.ts";
import { BreakpointTable } from "./start/breakpoints.tsx";
import { Earlier } from "./start/earlier.tsx";
import { ThreadChoice, useThread } from "./start/thread.tsx";

interface Drawing {
  nodes: { id: string }[];
}

/** The name by which an assistant is asked for: a graph's own by the graph, another by its id. */
function nameOf(assistant: Assistant): string {
  return assistant.metadata.created_by === "system" ? assistant.graph_id : assistant.assistant_id;
}

function allAssistants(api: Api, signal: AbortSignal): Promise<Assistant[]> {
  return api.post<Assistant[]>("/assistants/search", { limit: 1000 }, signal);
}

export function Start({ graph }: { graph: string | undefined }): JSX.Element {
  const assistants = useAsked(allAssistants, []).value;
  if (readOnly.value) {
    return (
      <>
        <h1>Start a run</h1>
        <Empty>{whyReadOnly.value}</Empty>
      </>
    );
  }
  if (assistants.state === "failed") {
    return (
      <>
        <h1>Start a run</h1>
        <Problem>{assistants.reason}</Problem>
      </>
    );
  }
  const answer = assistants.state === "answered" ? assistants.answer : [];
  const known = answer.toSorted((a, b) => a.name.localeCompare(b.name));
  const chosen = graph ?? (known[0] && nameOf(known[0]));
  const isKnown = known.some((assistant) => nameOf(assistant) === chosen || assistant.assistant_id === chosen);
  return (
    <div class="start">
      <h1>Start a run</h1>
      <section class="card">
        <div class="field">
          <label for="start-assistant">Graph or assistant</label>
          <select
            id="start-assistant"
            value={known.find((one) => one.assistant_id === chosen || nameOf(one) === chosen)?.assistant_id ?? chosen}
            onChange={(event) => {
              const to = known.find((one) => one.assistant_id === event.currentTarget.value);
              const thread = route.value.query.get("thread") ?? undefined;
              if (to !== undefined) go(link(["start", nameOf(to)], { thread }));
            }}
          >
            {!isKnown && chosen !== undefined && <option value={chosen}>{chosen}</option>}
            {known.map((assistant) => (
              <option key={assistant.assistant_id} value={assistant.assistant_id}>
                {assistant.name === assistant.graph_id ? assistant.name : `${assistant.name} (${assistant.graph_id})`}
              </option>
            ))}
          </select>
        </div>
      </section>
      {chosen === undefined ? (
        <Empty>{assistants.state === "asking" ? "Reading …" : "The server has no graph."}</Empty>
      ) : (
        <Order key={chosen} assistant={chosen} />
      )}
    </div>
  );
}

/** What is known of an assistant's graph before a run of it can be asked for. */
function Order({ assistant }: { assistant: string }): JSX.Element {
  const name = encodeURIComponent(assistant);
  const schemas = useAsked((api, signal) => api.get<Schemas>(`/assistants/${name}/schemas`, signal), [assistant]).value;
  const drawing = useAsked((api, signal) => api.get<Drawing>(`/assistants/${name}/graph`, signal), [assistant]).value;
  if (schemas.state === "failed") return <Problem>{schemas.reason}</Problem>;
  if (schemas.state === "asking") return <Empty>Reading what it takes …</Empty>;
  const nodes = drawing.state === "answered" ? drawing.answer.nodes.map((node) => node.id) : [];
  return (
    <OrderForm
      assistant={assistant}
      schemas={schemas.answer}
      nodes={nodes.filter((node) => node !== "__start__" && node !== "__end__")}
      noNodes={drawing.state === "failed" ? drawing.reason : undefined}
    />
  );
}

type Sides = Record<"input" | "context", Draft>;

function OrderForm({
  assistant,
  schemas,
  nodes,
  noNodes,
}: {
  assistant: string;
  schemas: Schemas;
  nodes: readonly string[];
  /** Why the nodes are not known. */
  noNodes: string | undefined;
}): JSX.Element {
  const thread = route.value.query.get("thread") || undefined;
  const found = useThread(thread);
  const of: Record<keyof Sides, JsonObject | null> = { input: schemas.input_schema, context: schemas.context_schema };
  const [drafts, setDrafts] = useState<Sides>(() => ({ input: draftOf(of.input), context: draftOf(of.context) }));
  const [breakpoints, setBreakpoints] = useState<Breakpoints>({ before: new Set(), after: new Set() });
  const [strategy, setStrategy] = useState<Strategy>("enqueue");
  const [isEarlier, setEarlier] = useState(false);
  const [filled, setFilled] = useState(0);
  const [wasSent, setSent] = useState(false);
  const [isSending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<{ part: string; place: string; message: string }>();
  const form = useRef<HTMLFormElement>(null);
  // A thread that was made for a run which the server then refused is used by the next one.
  const made = useRef<string>(undefined);
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);

  const wrong = (side: keyof Sides): ReadonlyMap<string, string> => {
    if (side === "context" && of.context === null) return new Map();
    return problemsOf(of[side], drafts[side]);
  };
  const shown = (side: keyof Sides): ReadonlyMap<string, string> => {
    const problems = wasSent ? wrong(side) : new Map<string, string>();
    if (refusal?.part !== side) return problems;
    return new Map([...problems, [refusal.place, refusal.message]]);
  };
  const change = (side: keyof Sides, draft: Draft) => {
    setDrafts((before) => ({ ...before, [side]: draft }));
    if (refusal?.part === side) setRefusal(undefined);
  };
  const send = async () => {
    setSent(true);
    setRefusal(undefined);
    if (wrong("input").size > 0 || wrong("context").size > 0) return focusProblem(form.current);
    setSending(true);
    try {
      const on = thread ?? made.current ?? (await api.value.post<Thread>("/threads", {})).thread_id;
      if (thread === undefined) made.current = on;
      const context = of.context === null ? undefined : drafts.context.value;
      const body = bodyOf({ assistant, input: drafts.input.value, context, breakpoints, strategy });
      const run = await api.value.post<Run>(`/threads/${on}/runs`, body);
      if (!isGone.current) go(link(["threads", on], { run: run.run_id }));
    } catch (error) {
      const message = told(error);
      const busy = error instanceof ApiError && error.status === 409 && thread !== undefined;
      const at = busy ? { part: "multitask_strategy", place: "" } : refusedAt(message);
      setRefusal({ part: at?.part ?? "", place: at?.place ?? "", message });
      focusProblem(form.current);
    } finally {
      setSending(false);
    }
  };
  const isAtField = refusal !== undefined && ["input", "context", "multitask_strategy"].includes(refusal.part);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <section class="card" aria-labelledby="start-input">
        <div class="row apart">
          <h2 id="start-input">Input</h2>
          <button type="button" onClick={() => setEarlier(true)}>
            Earlier inputs …
          </button>
        </div>
        <EitherForm
          key={filled}
          schema={of.input}
          draft={drafts.input}
          problems={shown("input")}
          label="Input"
          onChange={(draft) => change("input", draft)}
        />
      </section>
      {of.context !== null && (
        <section class="card" aria-labelledby="start-context">
          <h2 id="start-context">Context</h2>
          <EitherForm
            schema={of.context}
            draft={drafts.context}
            problems={shown("context")}
            label="Context"
            onChange={(draft) => change("context", draft)}
          />
        </section>
      )}
      <ThreadChoice
        thread={thread}
        found={found}
        strategy={strategy}
        problem={refusal?.part === "multitask_strategy" ? refusal.message : undefined}
        onStrategy={(to) => {
          setStrategy(to);
          setRefusal(undefined);
        }}
      />
      <section class="card">
        <details>
          <summary>
            <h2>Breakpoints</h2>
          </summary>
          <p class="hint">The run stops there, and goes on when it is told to.</p>
          {noNodes !== undefined && <p class="field-problem">The nodes are not known: {noNodes}</p>}
          <BreakpointTable nodes={nodes} chosen={breakpoints} onChange={setBreakpoints} />
        </details>
      </section>
      <div class="start-send">
        {refusal !== undefined && !isAtField && <Problem>{refusal.message}</Problem>}
        <button type="submit" class="primary" disabled={isSending}>
          {isSending ? "Starting …" : "Start"}
        </button>
      </div>
      {isEarlier && (
        <Earlier
          graph={schemas.graph_id}
          onClose={() => setEarlier(false)}
          onChosen={(input) => {
            change("input", { ...drafts.input, value: input, unreadable: new Map() });
            setFilled(filled + 1);
            setEarlier(false);
          }}
        />
      )}
    </form>
  );
}
