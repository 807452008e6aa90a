// The lines of a stream of bytes, one by one, whatever the pieces in which they come.

/** A line, and its number from 1. */
export interface NumberedLine {
  number: number;
  text: string;
  /** Whether it ends with a line feed: the last line of a file that was cut off does not. */
  isWhole: boolean;
}

/** What cannot be read as text. */
export class Unreadable extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

/** Characters of the longest line that is read. */
export const LONGEST = 200_000_000;

/** Gives the lines as many as came at once. `onBytes` is told how many bytes were read. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  onBytes: (bytes: number) => void = () => {},
  longest = LONGEST,
): AsyncGenerator<NumberedLine[]> {
  const reader = stream.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 1;
  let bytes = 0;
  // A long line comes in many pieces: they are joined once.
  let pieces: string[] = [];
  let length = 0;
  const decode = (value?: Uint8Array) => {
    try {
      return value === undefined ? decoder.decode() : decoder.decode(value, { stream: true });
    } catch {
      throw new Unreadable(number, "It, or one soon behind it, has bytes that are no UTF-8.");
    }
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = decode(done ? undefined : value);
      const parts = text.split("\n");
      const lines: NumberedLine[] = [];
      const last = parts.pop() ?? "";
      for (const part of parts) {
        lines.push({ number, text: pieces.join("") + part, isWhole: true });
        pieces = [];
        length = 0;
        number += 1;
      }
      pieces.push(last);
      length += last.length;
      if (length > longest) throw new Unreadable(number, "It is too long to be a line of an export.");
      if (done && length > 0) lines.push({ number, text: pieces.join(""), isWhole: false });
      bytes += value?.length ?? 0;
      onBytes(bytes);
      if (lines.length > 0) yield lines;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
