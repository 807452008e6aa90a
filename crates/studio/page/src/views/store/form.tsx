// Puts an item: a new one, or another value of one that is there.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { told } from "../../api/http.ts";
import type { JsonObject } from "../../api/types.ts";
import { api } from "../../connection.ts";
import { Problem } from "../../parts/basics.tsx";
import { type Draft, draftOf, EitherForm, focusProblem, problemsOf } from "../../parts/form/index.ts";
import { isObject } from "../../parts/json-values.ts";
import { visible } from "../../parts/text.ts";
import { Box } from "../listing/box.tsx";
import { type Refusal, refusalOf, shownAt } from "../listing/refused.ts";
import { idOf, type Item, itemPath } from "./items.ts";
import { minutesOf } from "./minutes.ts";
import { labelsOf, nameable, type Namespace } from "./names.ts";

const OBJECT: JsonObject = { type: "object" };

export function ItemForm({
  namespace,
  before: given,
  onDone,
  onCancel,
}: {
  /** Where it is put, or with which labels a new one begins. */
  namespace: Namespace;
  before?: Item;
  onDone: (item: Pick<Item, "namespace" | "key">) => void;
  onCancel: () => void;
}): JSX.Element {
  // Another value that comes while a person writes does not take away what was written.
  const [before] = useState(given);
  const [labels, setLabels] = useState(() => nameable(namespace).join("\n"));
  const [key, setKey] = useState(before?.key ?? "");
  const [value, setValue] = useState<Draft>(() => ({ ...draftOf(OBJECT, before?.value ?? {}), as: "json" }));
  const [minutes, setMinutes] = useState("");
  const [wasSent, setSent] = useState(false);
  const [isSending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  /** The state of the item that is replaced, where it is another than the one that the form began with. */
  const [other, setOther] = useState<Item>();
  const form = useRef<HTMLFormElement>(null);

  const ttl = minutesOf(minutes);
  const isNew = before === undefined;
  const into = isNew ? labelsOf(labels) : { labels: [...namespace] };
  const valueProblems = problemsOf(OBJECT, value);
  const keyProblem = isNew && key === "" ? "A key is needed." : undefined;
  const shownProblems = shownAt("value", wasSent ? valueProblems : new Map<string, string>(), refusal);
  const send = async () => {
    setSent(true);
    setRefusal(undefined);
    const isWrong = "problem" in into || valueProblems.size > 0 || keyProblem !== undefined || "problem" in ttl;
    if (isWrong || !isObject(value.value)) return focusProblem(form.current);
    const body: JsonObject = { namespace: into.labels, key, value: value.value };
    if (ttl.minutes !== undefined) body.ttl = ttl.minutes;
    setSending(true);
    try {
      // A put replaces what is there: the person who sends it knows what that is.
      const there = await api.value.get<Item | null>(itemPath(into.labels, key));
      const known = other ?? before;
      const isSame = (one: Item, known: Item) => idOf(one) === idOf(known) && one.updated_at === known.updated_at;
      const isKnown = there === null || (known !== undefined && isSame(there, known));
      if (!isKnown) return setOther(there);
      await api.value.send("PUT", "/store/items", body);
      onDone({ namespace: into.labels, key });
    } catch (error) {
      setRefusal(refusalOf(told(error)));
      focusProblem(form.current);
    } finally {
      setSending(false);
    }
  };
  const isAtField = refusal !== undefined && ["namespace", "key", "value", "ttl"].includes(refusal.part);
  const at = (part: string) => (refusal?.part === part ? refusal.message : undefined);
  return (
    <form
      ref={form}
      noValidate
      class="store-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <h2>{isNew ? "Put an item" : `Change ${key === "" ? "the item of an empty key" : visible(key)}`}</h2>
      {isNew && (
        <>
          <Box
            label="Namespace"
            hint="Its labels, one in a line, the outer one first. A label has no dot in it."
            problem={at("namespace") ?? (wasSent && "problem" in into ? into.problem : undefined)}
          >
            {(tied) => (
              <textarea
                {...tied}
                class="mono"
                rows={3}
                autocomplete="off"
                spellcheck={false}
                value={labels}
                onInput={(event) => {
                  setLabels(event.currentTarget.value);
                  setOther(undefined);
                }}
              />
            )}
          </Box>
          <Box label="Key" problem={at("key") ?? (wasSent ? keyProblem : undefined)}>
            {(tied) => (
              <input
                {...tied}
                type="text"
                class="mono"
                autocomplete="off"
                spellcheck={false}
                value={key}
                onInput={(event) => {
                  setKey(event.currentTarget.value);
                  setOther(undefined);
                }}
              />
            )}
          </Box>
        </>
      )}
      <EitherForm schema={OBJECT} draft={value} problems={shownProblems} label="Value" onChange={setValue} />
      <Box
        label="Minutes for which it is kept"
        hint={`Empty is for ever${isNew ? "" : ", also where it had an end before: the server does not tell"}.`}
        problem={at("ttl") ?? (wasSent && "problem" in ttl ? ttl.problem : undefined)}
      >
        {(tied) => (
          <input
            {...tied}
            type="text"
            inputMode="decimal"
            autocomplete="off"
            value={minutes}
            onInput={(event) => setMinutes(event.currentTarget.value)}
          />
        )}
      </Box>
      {other !== undefined && (
        <p class="notice" role="status">
          {isNew ? "An item of this key is there already." : "The item was changed meanwhile."} To put this one replaces
          it. It holds{" "}
          <code>{visible(JSON.stringify(other.value).slice(0, 300))}</code>
        </p>
      )}
      {refusal !== undefined && !isAtField && <Problem>{refusal.message}</Problem>}
      <p class="row">
        <button type="submit" class={other === undefined ? "primary" : "danger"} disabled={isSending}>
          {isSending ? "Putting it …" : other === undefined ? "Put it" : "Replace what is there"}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}
