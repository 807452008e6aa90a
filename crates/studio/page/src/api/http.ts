// Requests to the server, and how it refuses them.

/** A refusal of the server, or a server that is not reached (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** A page of a list, and how long the whole list is where the server says it. */
export interface Page<T> {
  items: T[];
  total: number | undefined;
}

/** Where the server is, and the key with which it is asked. */
export class Api {
  /** Whether a saved export answers instead of a server: nothing comes later, and nothing can be changed. */
  readonly isSaved: boolean = false;

  /** `base` ends without a slash. `refuses` says why a request is not sent. */
  constructor(
    readonly base: string,
    readonly key: string | undefined,
    private readonly refuses: (method: string, path: string) => string | undefined = () => undefined,
  ) {}

  /** The address of a path of the server. */
  url(path: string): string {
    return this.base + path;
  }

  headers(more: Record<string, string> = {}): Record<string, string> {
    return this.key === undefined ? more : { ...more, "x-api-key": this.key };
  }

  /** Sends a request; an answer that is none of success is an `ApiError`. */
  async send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const refused = this.refuses(method, path);
    if (refused !== undefined) throw new ApiError(405, refused);
    const init: RequestInit = { method, headers: this.headers(), cache: "no-store" };
    if (body !== undefined) {
      init.headers = this.headers({ "content-type": "application/json" });
      init.body = JSON.stringify(body);
    }
    if (signal !== undefined) init.signal = signal;
    let response: Response;
    try {
      response = await fetch(this.url(path), init);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(0, "The server cannot be reached.");
    }
    if (!response.ok) throw new ApiError(response.status, await refusal(response));
    return response;
  }

  async json<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const response = await this.send(method, path, body, signal);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.json<T>("GET", path, undefined, signal);
  }

  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return this.json<T>("POST", path, body, signal);
  }

  /** A search that answers a page of a longer list. */
  async search<T>(path: string, body: unknown, signal?: AbortSignal): Promise<Page<T>> {
    const response = await this.send("POST", path, body, signal);
    const total = response.headers.get("x-pagination-total");
    return { items: (await response.json()) as T[], total: total === null ? undefined : Number(total) };
  }
}

async function refusal(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === "string") return detail;
    if (detail !== undefined) return JSON.stringify(detail);
  } catch {
    // Not JSON: the text itself is all that is known.
  }
  return text.slice(0, 500) || `${response.status} ${response.statusText}`;
}

/** What an error says to a person. */
export function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a request may succeed when it is sent again: the server is not reached, or has too much to do. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** Whether the server will answer a request no other way: what is asked is wrong, or the key is. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && !isPassing(error);
}
