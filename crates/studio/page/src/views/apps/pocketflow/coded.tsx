// A line of text in which names stand between backquotes.

import type { JSX } from "preact";
import { visible } from "../../../parts/text.ts";

export function Coded({ text }: { text: string }): JSX.Element {
  const pieces = text.split("`");
  // A quote that is not closed is one of the text.
  const isEven = pieces.length % 2 === 0;
  if (isEven) return <>{visible(text)}</>;
  return <>{pieces.map((piece, at) => (at % 2 === 1 ? <code key={at}>{visible(piece)}</code> : visible(piece)))}</>;
}
