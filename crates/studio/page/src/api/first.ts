// What a view shows first is read before the events of a long history: while it is read, the history waits.
//
// A history is many megabytes, and both the server and the page take what comes of it before anything else.

/** A read that takes longer does not hold back the events any more, in milliseconds. */
const LONGEST = 3000;

let reads = 0;
let waiting: (() => void)[] = [];

/** Reads what a view shows first. */
export async function first<T>(reading: Promise<T>): Promise<T> {
  let isCounted = true;
  const done = () => {
    if (!isCounted) return;
    isCounted = false;
    clearTimeout(timer);
    reads -= 1;
    if (reads > 0) return;
    for (const goOn of waiting) goOn();
    waiting = [];
  };
  reads += 1;
  const timer = setTimeout(done, LONGEST);
  try {
    return await reading;
  } finally {
    done();
  }
}

/** Resolves when no view reads what it shows first. */
export async function afterFirst(): Promise<void> {
  if (reads > 0) await new Promise<void>((resolve) => waiting.push(resolve));
}
