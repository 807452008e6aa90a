// One part of the text, with the task that writes it.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Markdown } from "../../../parts/markdown.tsx";
import { visible } from "../../../parts/text.ts";
import { Growing } from "../../thread/task/growing.tsx";
import { CITATIONS } from "./citations.tsx";
import type { Part } from "./document.ts";

export interface PartViewProps {
  part: Part;
  /** What a model says of it now, word by word. */
  spoken: string;
  /** Whether it is read as Markdown, and not shown as it is written. */
  isNear: boolean;
  isChosen: boolean;
  onOpen: () => void;
}

const STATES: Record<Part["state"], [colour: string, words: string]> = {
  written: ["done", "written"],
  writing: ["running", "is written now"],
  open: ["waiting", "not yet written"],
  failed: ["failed", "failed"],
  out: ["stopped", "left out"],
};

export function PartView({ part, spoken, isNear, isChosen, onOpen }: PartViewProps): JSX.Element {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isChosen) box.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  const [colour, words] = STATES[part.state];
  return (
    <section ref={box} class={`wh-part${isChosen ? " is-chosen" : ""}`} aria-label={`Part ${part.key}`}>
      <p class="row wh-part-line">
        <button type="button" class="plain" title="Show its task" onClick={onOpen}>
          {part.key === "root" ? "The whole" : `Task ${part.key}`}
        </button>
        <span class={`badge is-${colour}`}>{words}</span>
        {part.text === "" && (
          <span class="quiet">{[part.goal, part.length ?? ""].filter(Boolean).map(visible).join(", ")}</span>
        )}
      </p>
      {part.text !== "" && isNear && <Markdown text={part.text} own={CITATIONS} />}
      {part.text !== "" && !isNear && <div class="wh-later">{visible(part.text)}</div>}
      {spoken !== "" && (
        <div class="quiet">
          <Growing text={spoken} />
        </div>
      )}
    </section>
  );
}
