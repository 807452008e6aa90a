// Changes the state at a checkpoint: the change is a checkpoint of a new branch, and what was there stays.

import type { JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { told } from "../../../api/http.ts";
import type { JsonObject, Schemas } from "../../../api/types.ts";
import { api } from "../../../connection.ts";
import { Problem } from "../../../parts/basics.tsx";
import { visible } from "../../../parts/text.ts";
import type { Checkpoint } from "../state/checkpoint.ts";
import { fieldOf, placeOf, type Problems, readEdit } from "./edit.ts";

interface Graph {
  nodes: { id: string }[];
}

export function EditDialog({
  thread,
  checkpoint,
  title,
  values,
  assistant,
  onDone,
  onClose,
}: {
  thread: string;
  checkpoint: Checkpoint;
  title: string;
  values: JsonObject;
  assistant: string | undefined;
  /** The checkpoint that was made. */
  onDone: (id: string) => void;
  onClose: () => void;
}): JSX.Element {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const editor = useRef<HTMLTextAreaElement>(null);
  const [text, write] = useState("{\n  \n}");
  const [node, setNode] = useState("");
  const [refused, refuse] = useState<{ field: string; message: string }>();
  const [isAsked, ask] = useState(false);
  const [isSent, send] = useState(false);
  const { schema, nodes, problem } = useGraph(assistant);
  const edit = useMemo(() => readEdit(text, schema), [text, schema]);
  const problems = useMemo(() => withRefusal(isAsked ? edit.problems : new Map(), refused), [edit, isAsked, refused]);
  useEffect(() => dialog.current?.showModal(), []);

  const show = (at: number | undefined, length = 0) => {
    editor.current?.focus();
    if (at !== undefined) editor.current?.setSelectionRange(at, at + length);
  };
  const put = (field: string) => {
    const { values: written } = readEdit(text, undefined);
    const next = JSON.stringify({ ...written, [field]: values[field] ?? null }, null, 2);
    write(next);
    refuse(undefined);
    requestAnimationFrame(() => show(placeOf(next, field), JSON.stringify(field).length));
  };
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    ask(true);
    const [first] = edit.problems.keys();
    if (edit.values === undefined) return show(edit.offset, 1);
    if (first !== undefined) return show(placeOf(text, first), JSON.stringify(first).length);
    send(true);
    const body = { values: edit.values, checkpoint_id: checkpoint.id, ...(node === "" ? {} : { as_node: node }) };
    try {
      const made = await api.peek().post<{ checkpoint_id: string }>(`/threads/${thread}/state`, body);
      // Closed first, focus goes back to where the dialog was opened.
      dialog.current?.close();
      onDone(made.checkpoint_id);
    } catch (error) {
      const message = told(error);
      const field = fieldOf(message, edit.values);
      refuse({ field, message });
      if (field !== "") show(placeOf(text, field), JSON.stringify(field).length);
    }
    send(false);
  };
  const fields = Object.keys(schemaFields(schema) ?? values);
  const whole = problems.get("");
  return (
    <dialog ref={dialog} class="history-edit" aria-labelledby={`${id}-title`} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <h2 id={`${id}-title`}>Edit the state and fork</h2>
        <p class="quiet">
          The change is made on the state of “{title}”, as a new branch of the thread. Nothing runs until you run it
          from there.
        </p>
        {problem !== undefined && <Problem>The fields of the graph could not be read: {visible(problem)}</Problem>}
        {fields.length > 0 && (
          <p class="row" role="group" aria-label="Fields, with the values that they have">
            <span class="quiet">Put in</span>
            {fields.map((field) => (
              <button key={field} type="button" onClick={() => put(field)}>
                {visible(field)}
              </button>
            ))}
          </p>
        )}
        <label for={`${id}-text`}>The fields to change, as JSON</label>
        <textarea
          ref={editor}
          id={`${id}-text`}
          class="mono"
          rows={12}
          spellcheck={false}
          value={text}
          aria-invalid={problems.size > 0}
          aria-describedby={`${id}-hint ${id}-problems`}
          onInput={(event) => {
            write(event.currentTarget.value);
            refuse(undefined);
          }}
        />
        <p id={`${id}-hint`} class="quiet">
          A field that gathers, such as a conversation, takes what is given in addition; any other takes it instead of
          its value.
        </p>
        <div id={`${id}-problems`} role="status">
          {whole !== undefined && <Problem>{visible(whole)}</Problem>}
          {[...problems].map(
            ([field, message]) =>
              field !== "" && (
                <Problem key={field}>
                  <code>{visible(field)}</code>: {visible(message)}
                </Problem>
              ),
          )}
        </div>
        <label>
          As the node{" "}
          <select value={node} onChange={(event) => setNode(event.currentTarget.value)}>
            <option value="">that wrote last</option>
            {nodes.map((name) => (
              <option key={name} value={name}>
                {visible(name)}
              </option>
            ))}
          </select>
        </label>
        <p class="quiet">What follows that node runs next.</p>
        <p class="row">
          <button type="submit" class="primary" disabled={isSent}>
            Fork with this change
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  );
}

function withRefusal(problems: Problems, refused: { field: string; message: string } | undefined): Problems {
  return refused === undefined ? problems : new Map([...problems, [refused.field, refused.message]]);
}

function schemaFields(schema: JsonObject | undefined): JsonObject | undefined {
  const properties = schema?.properties;
  return typeof properties === "object" && properties !== null && !Array.isArray(properties) ? properties : undefined;
}

/** The state's schema and the nodes of a graph, where the server says them. */
function useGraph(assistant: string | undefined): {
  schema: JsonObject | undefined;
  nodes: string[];
  problem: string | undefined;
} {
  const [schema, setSchema] = useState<JsonObject>();
  const [nodes, setNodes] = useState<string[]>([]);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (assistant === undefined) return;
    const ended = new AbortController();
    const path = `/assistants/${encodeURIComponent(assistant)}`;
    const read = async () => {
      try {
        const [schemas, graph] = await Promise.all([
          api.peek().get<Schemas>(`${path}/schemas`, ended.signal),
          api.peek().get<Graph>(`${path}/graph`, ended.signal),
        ]);
        setSchema(schemas.state_schema ?? undefined);
        setNodes(graph.nodes.map((node) => node.id).filter((name) => name !== "__end__"));
      } catch (error) {
        if (!ended.signal.aborted) setProblem(told(error));
      }
    };
    void read();
    return () => ended.abort();
  }, [assistant]);
  return { schema, nodes, problem };
}
