// Server-sent events, read from the body of an answer.

export interface SseFrame {
  event: string;
  data: string;
  id: string | undefined;
}

/** The frames of a stream, those that came together at a time. Comments and empty frames are left out. */
export async function* frames(body: ReadableStream<Uint8Array>): AsyncGenerator<SseFrame[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines = new Lines();
  let event = "message";
  let data: string[] = [];
  let id: string | undefined;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const found: SseFrame[] = [];
      for (const line of lines.take(decoder.decode(value, { stream: true }))) {
        if (line === "") {
          if (data.length > 0) found.push({ event, data: data.length === 1 ? (data[0] ?? "") : data.join("\n"), id });
          event = "message";
          data = [];
          continue;
        }
        const colon = line.indexOf(":");
        if (colon === 0) continue;
        const name = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
        if (name === "event") event = text;
        else if (name === "data") data.push(text);
        else if (name === "id") id = text;
      }
      if (found.length > 0) yield found;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Cuts a text into lines that comes in pieces. Each piece is looked at once, however long a line is. */
class Lines {
  /** The pieces of a line that has not ended. */
  private begun: string[] = [];
  private isAfterReturn = false;

  /** The lines that end in a piece. They end with a carriage return, a line feed, or both. */
  take(piece: string): string[] {
    if (piece === "") return [];
    const lines: string[] = [];
    // A line feed behind a carriage return ends the same line, also where it is in the next piece.
    let at = this.isAfterReturn && piece.startsWith("\n") ? 1 : 0;
    let feed = piece.indexOf("\n", at);
    let back = piece.indexOf("\r", at);
    while (feed >= 0 || back >= 0) {
      const end = back < 0 || (feed >= 0 && feed < back) ? feed : back;
      lines.push(this.end(piece.slice(at, end)));
      at = end + (end === back && feed === end + 1 ? 2 : 1);
      if (feed >= 0 && feed < at) feed = piece.indexOf("\n", at);
      if (back >= 0 && back < at) back = piece.indexOf("\r", at);
    }
    if (at < piece.length) this.begun.push(piece.slice(at));
    this.isAfterReturn = piece.endsWith("\r");
    return lines;
  }

  private end(last: string): string {
    if (this.begun.length === 0) return last;
    const line = this.begun.join("") + last;
    this.begun = [];
    return line;
  }
}
