// A text that grows: what comes is appended to what is there, and nothing is drawn anew.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { visible } from "../../../parts/text.ts";

export function Growing({ text }: { text: string }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const node = useRef<Text | undefined>(undefined);
  const length = useRef(0);
  useLayoutEffect(() => {
    if (node.current === undefined) {
      node.current = document.createTextNode("");
      box.current?.append(node.current);
    }
    if (text.length < length.current) {
      node.current.data = "";
      length.current = 0;
    }
    if (text.length > length.current) node.current.appendData(visible(text.slice(length.current)));
    length.current = text.length;
  }, [text]);
  return <div ref={box} class="growing" />;
}
