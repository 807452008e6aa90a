// The size of an element, as it changes.

import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

export interface Size {
  width: number;
  height: number;
}

export function useSize(of: RefObject<HTMLElement | null>): Size {
  const size = useSignal<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = of.current;
    if (element === null) return undefined;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width !== size.peek().width || height !== size.peek().height) size.value = { width, height };
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size.value;
}
