// A stream of the server that is held open: one that is lost is asked for again, less and less often while the server is away.

import { ApiError, isRefusal, told } from "./http.ts";
import { frames, type SseFrame } from "./sse.ts";

/** `lost` while the server is not reached, with the reason. */
export type Link = { state: "connecting" } | { state: "live" } | { state: "lost"; reason: string };

export interface Held {
  /** Asks for the stream, from where the last one broke off. */
  open(signal: AbortSignal): Promise<Response>;
  /** Takes a frame. A text says why the stream is about to end. */
  onFrame(frame: SseFrame): string | void;
  /** The frames that came together are taken; more are read when this resolves. */
  onPiece?(): Promise<void>;
  /** No frame follows until the stream is open again. */
  onBreak?(): void;
  onLink(link: Link): void;
  /** The server will never send it: what is asked for is not there, the key is wrong. */
  onRefused(error: ApiError): void;
  /** Whether the stream is read once to its end. */
  isOnce?: boolean;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;

/** Holds a stream until `signal` says to leave it, or the server refuses it. */
export async function hold(held: Held, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  held.onLink({ state: "connecting" });
  while (!signal.aborted) {
    let reason = "The server ended the stream.";
    let refused: ApiError | undefined;
    try {
      const response = await held.open(signal);
      if (response.body === null) throw new ApiError(0, "The server sent no stream.");
      held.onLink({ state: "live" });
      wait = FIRST_WAIT;
      for await (const together of frames(response.body)) {
        for (const frame of together) {
          if (signal.aborted) return;
          reason = held.onFrame(frame) ?? reason;
        }
        await held.onPiece?.();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isRefusal(error)) refused = error;
      reason = told(error);
    }
    if (signal.aborted) return;
    held.onBreak?.();
    if (refused !== undefined) return held.onRefused(refused);
    if (held.isOnce === true) return;
    held.onLink({ state: "lost", reason });
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
