// The box in which the next thing is said. Enter sends it, Shift and Enter begin a new line. What is to be sent before it is
// known what is asked waits for that.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Session } from "./session.ts";
import type { Say } from "./use-say.ts";

export interface BoxProps {
  session: Session | undefined;
  say: Say;
}

export function Box({ session, say }: BoxProps): JSX.Element {
  const [text, setText] = useState("");
  /** Whether the text is to be sent as soon as it is known what is asked. */
  const [waits, setWaits] = useState(false);
  const isEmpty = text.trim() === "";
  const send = async () => {
    // Why nothing can be said while a turn is under way stands below the box.
    if (isEmpty || say.isBarred) return;
    setWaits(!say.isReady);
    if (!say.isReady) return;
    const said = text;
    setText("");
    // What was not taken stays to be said again.
    if (!(await say.say(said.trim()))) setText((now) => (now === "" ? said : now));
  };
  useEffect(() => {
    if (!waits) return;
    if (say.isBarred) setWaits(false);
    else if (say.isReady) void send();
  }, [waits, say.isReady, say.isBarred]);
  return (
    <form
      class="pf-box"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label class="grow">
        <span class="hidden">What you say next</span>
        <textarea
          rows={2}
          value={text}
          placeholder={hintOf(session)}
          onInput={(event) => {
            setText(event.currentTarget.value);
            // Whoever writes on does not want half of it sent.
            setWaits(false);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
      </label>
      <button type="submit" class="primary" disabled={isEmpty || say.isBarred || waits}>
        Say it
      </button>
      {waits && (
        <p class="hint pf-box-note" role="status">
          Sent as soon as the question is here.{" "}
          <button type="button" onClick={() => setWaits(false)}>
            Do not send it
          </button>
        </p>
      )}
      {!isEmpty && say.isBarred && (
        <p class="hint pf-box-note" role="status">
          A turn is under way: this can be said when it has ended.
        </p>
      )}
    </form>
  );
}

function hintOf(session: Session | undefined): string {
  switch (session?.waiting.for) {
    case "queries":
      return "Ask about the queries, or say what you want of them";
    case "report":
      return "Ask about the proposal, or say what you want of it";
    case "slot":
      if (session.waiting.missing.length === 0) return "Say “retry”, or name a new topic";
      return session.waiting.missing.includes("queries") ? "Other queries, one a line" : "Say what is missing";
  }
  return session?.proposal === undefined ? "A topic to research" : "Ask about the proposal, or name a new topic";
}
