// Server-sent events, read from the body of an answer.

export interface SseFrame {
  event: string;
  data: string;
  id: string | undefined;
}

/** The frames of a stream, until it ends or breaks. Comments and empty frames are left out. */
export async function* frames(body: ReadableStream<Uint8Array>): AsyncGenerator<SseFrame> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  let event = "message";
  let data: string[] = [];
  let id: string | undefined;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { event, data: data.join("\n"), id };
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
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
