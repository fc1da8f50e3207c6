import type { DomElement } from "./dom.ts";

/** Numbers of elements: an element keeps its number as long as it exists. */
export interface ElementNumbers {
  of(element: DomElement): number;
  element(number: number): DomElement | undefined;
}

export function createElementNumbers(): ElementNumbers {
  const numbers = new WeakMap<DomElement, number>();
  const elements = new Map<number, WeakRef<DomElement>>();
  let last = 0;
  return {
    of(element) {
      const cached = numbers.get(element);
      if (cached !== undefined) return cached;
      last += 1;
      numbers.set(element, last);
      elements.set(last, new WeakRef(element));
      return last;
    },
    element: (number) => elements.get(number)?.deref(),
  };
}
