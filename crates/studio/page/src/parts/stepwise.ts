// Much to show, in steps: the first at once, then one more whenever the one before is painted.

import { useEffect, useState } from "preact/hooks";

/** How many of so many are shown. */
export function useStepwise(count: number): number {
  const [shown, show] = useState(1);
  const isAll = shown >= count;
  useEffect(() => {
    if (isAll) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => show(shown + 1));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [shown, isAll]);
  return Math.min(shown, count);
}
