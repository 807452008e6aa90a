// The parts of a text, in blocks: a long text has thousands of parts, and the browser lays out the blocks that are seen.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useStepwise } from "../../../parts/stepwise.ts";
import type { Spoken } from "../../../run/model.ts";
import { blocksOf } from "./blocks.ts";
import type { Part } from "./document.ts";
import { PartView } from "./part-view.tsx";

/** How near to the window a block is read as Markdown; farther ones show their text as it is written. */
const NEAR = "1500px";

export interface PartBlocksProps {
  parts: readonly Part[];
  /** What a model says of a part now, word by word. */
  told: (part: Part) => Spoken | undefined;
  /** The key of the part that is chosen. */
  open: string | undefined;
  onOpen: (key: string) => void;
}

export function PartBlocks({ parts, told, open, onOpen }: PartBlocksProps): JSX.Element {
  const before = useRef<readonly Part[][]>([]);
  const blocks = useMemo(() => (before.current = blocksOf(parts, before.current)), [parts]);
  const shown = useStepwise(blocks.length);
  // A part that is chosen is there, however far down it is.
  const chosen = open === undefined ? -1 : blocks.findIndex((block) => block.some((part) => part.key === open));
  return (
    <>
      {blocks.slice(0, Math.max(shown, chosen + 1)).map((block, at) => (
        <Block key={at} parts={block} isFirst={at === 0} open={at === chosen ? open : undefined} {...{ told, onOpen }} />
      ))}
    </>
  );
}

interface BlockProps extends PartBlocksProps {
  isFirst: boolean;
}

function Block({ parts, told, open, onOpen, isFirst }: BlockProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const isNear = useNear(box, isFirst);
  const opens = useRef(onOpen);
  opens.current = onOpen;
  // Events come often, and most change nothing in the parts.
  const versions = parts.map((part) => told(part)?.version ?? "").join();
  const inside = useMemo(
    () =>
      parts.map((part) => (
        <PartView
          key={part.key}
          part={part}
          spoken={told(part)?.text ?? ""}
          isNear={isNear}
          isChosen={part.key === open}
          onOpen={() => opens.current(part.key)}
        />
      )),
    [parts, open, isNear, versions],
  );
  return (
    <div ref={box} class="wh-block">
      {inside}
    </div>
  );
}

/** Whether something is near to the window, or was. */
function useNear(box: { current: HTMLElement | null }, isFirst: boolean): boolean {
  const [isNear, near] = useState(isFirst);
  useEffect(() => {
    if (isNear || box.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) near(true);
      },
      { rootMargin: NEAR },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [isNear]);
  return isNear;
}
