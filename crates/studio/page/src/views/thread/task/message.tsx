// One message of a model: what it said so far, what it thought, the calls that it asks for, and what it took.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Json } from "../../../api/types.ts";
import { Problem } from "../../../parts/basics.tsx";
import { JsonTree } from "../../../parts/json.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { count, visible } from "../../../parts/text.ts";
import type { AskedCall, Spoken } from "../../../run/model.ts";
import { Growing } from "./growing.tsx";

export function Message({ message }: { message: Spoken }): JSX.Element {
  // The version says whether anything of the message changed.
  return useMemo(() => <Body message={message} />, [message, message.version]);
}

function Body({ message }: { message: Spoken }): JSX.Element {
  const { done, text, reasoning, calls, usage, error } = message;
  return (
    <article class="spoken" aria-label={`Message of ${message.role}`}>
      <header class="row">
        <strong>{message.role}</strong>
        {!done && <span class="badge is-running">writing</span>}
        {usage !== undefined && <Usage usage={usage} />}
      </header>
      {reasoning !== "" && (
        <details open={!done && text === ""}>
          <summary>Reasoning</summary>
          <Growing text={reasoning} />
        </details>
      )}
      {text !== "" && (done ? <Markdown text={text} /> : <Growing text={text} />)}
      {calls.map((call, at) => (
        <Asked key={call.id ?? at} call={call} />
      ))}
      {error !== undefined && <Problem>Broken off: {visible(error)}</Problem>}
    </article>
  );
}

function Asked({ call }: { call: AskedCall }): JSX.Element {
  const args = call.args === "" ? undefined : parsed(call.args);
  return (
    <div class="asked-call">
      Calls <code>{visible(call.name ?? "a tool")}</code>
      {args === undefined ? (
        <Growing text={call.args} />
      ) : (
        <JsonTree value={args} label={`Arguments of ${call.name ?? "the call"}`} />
      )}
      {call.error !== undefined && <Problem>{visible(call.error)}</Problem>}
    </div>
  );
}

function parsed(args: string): Json | undefined {
  try {
    return JSON.parse(args) as Json;
  } catch {
    return undefined;
  }
}

/** Tokens, as the message says them. */
export function Usage({ usage }: { usage: { [key: string]: Json } }): JSX.Element | null {
  const names: [string, string][] = [
    ["input_tokens", "in"],
    ["output_tokens", "out"],
    ["total_tokens", "in all"],
  ];
  const known = names.flatMap(([field, name]) => {
    const value = usage[field];
    return typeof value === "number" ? [`${count(value)} ${name}`] : [];
  });
  return known.length === 0 ? null : <span class="quiet">Tokens: {known.join(", ")}</span>;
}
