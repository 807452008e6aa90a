// Which refusals pass by themselves.

import { ApiError } from "../../../api/http.ts";

/** Whether a request may succeed when it is sent again: the server is not reached, or has too much to do. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}
