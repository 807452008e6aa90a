// Moving and enlarging a plane: by drag and pinch, by wheel with ctrl, by keys.

import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { held, type Sight, type Size, zoomed } from "../../../parts/zoom.ts";

/** How far an arrow key moves, and how much `+` enlarges. */
const STEP = 60;
export const FACTOR = 1.25;
/** How far a pointer moves before it is a drag and no click. */
const SLACK = 4;

const ARROWS: Record<string, [x: number, y: number]> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};

export interface Pan {
  window: RefObject<HTMLElement | null>;
  sight: Signal<Sight>;
  plane(): Size;
  /** Shows all. */
  onFit(): void;
  /** A person moved the plane. */
  onMove(): void;
}

export function sizeOf(element: HTMLElement | null): Size {
  return { width: element?.clientWidth ?? 0, height: element?.clientHeight ?? 0 };
}

export function usePan(pan: Pan): void {
  useEffect(() => {
    const element = pan.window.current;
    if (element === null) return;
    const stop = new AbortController();
    const listen = <K extends keyof HTMLElementEventMap>(
      type: K,
      listener: (event: HTMLElementEventMap[K]) => void,
      options: AddEventListenerOptions = {},
    ) => element.addEventListener(type, listener, { ...options, signal: stop.signal });

    const moved = (sight: Sight) => {
      pan.sight.value = held(sight, pan.plane(), sizeOf(element));
      pan.onMove();
    };
    const at = (event: { clientX: number; clientY: number }): [number, number] => {
      const box = element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };

    listen(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const lines = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 30;
        const factor = Math.exp(Math.max(-60, Math.min(60, -event.deltaY * lines)) * 0.005);
        moved(zoomed(pan.sight.peek(), factor, ...at(event)));
      },
      { passive: false },
    );

    listen("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { width, height } = sizeOf(element);
      const sight = pan.sight.peek();
      const arrow = event.target === element ? ARROWS[event.key] : undefined;
      if (arrow !== undefined) moved({ ...sight, x: sight.x + arrow[0], y: sight.y + arrow[1] });
      else if (event.key === "+" || event.key === "=") moved(zoomed(sight, FACTOR, width / 2, height / 2));
      else if (event.key === "-") moved(zoomed(sight, 1 / FACTOR, width / 2, height / 2));
      else if (event.key === "0") pan.onFit();
      else return;
      event.preventDefault();
    });

    /** The pointers that are down, where they were last. */
    const down = new Map<number, [number, number]>();
    let dragged = false;
    let began: [number, number] = [0, 0];

    listen("pointerdown", (event) => {
      if (event.button !== 0) return;
      if (down.size === 0) {
        dragged = false;
        began = at(event);
      }
      down.set(event.pointerId, at(event));
    });
    listen("pointermove", (event) => {
      const before = down.get(event.pointerId);
      if (before === undefined) return;
      const now = at(event);
      if (!dragged) {
        if (Math.hypot(now[0] - began[0], now[1] - began[1]) < SLACK && down.size === 1) return;
        dragged = true;
        element.classList.add("dragged");
      }
      // From here on the pointer is the window's, also outside of it.
      element.setPointerCapture(event.pointerId);
      const sight = pan.sight.peek();
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      down.set(event.pointerId, now);
      if (other === undefined) {
        moved({ ...sight, x: sight.x + now[0] - before[0], y: sight.y + now[1] - before[1] });
        return;
      }
      const apart = (point: [number, number]) => Math.max(1, Math.hypot(point[0] - other[0], point[1] - other[1]));
      // Of two fingers one moved: their middle moves half as far.
      const x = sight.x + (now[0] - before[0]) / 2;
      const y = sight.y + (now[1] - before[1]) / 2;
      const factor = apart(now) / apart(before);
      moved(zoomed({ ...sight, x, y }, factor, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2));
    });
    const up = (event: PointerEvent) => {
      down.delete(event.pointerId);
      if (down.size === 0) element.classList.remove("dragged");
    };
    listen("pointerup", up);
    listen("pointercancel", up);
    // The end of a drag over a node is no click on it.
    listen(
      "click",
      (event) => {
        if (!dragged) return;
        dragged = false;
        event.preventDefault();
        event.stopPropagation();
      },
      { capture: true },
    );
    return () => stop.abort();
  }, []);
}
