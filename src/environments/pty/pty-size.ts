import type { PtySize } from "../../contracts/environment/environment.ts";

/** Returns the reason why a terminal cannot have this size. Undefined: the size is valid. */
export function sizeFault({ columns, rows }: PtySize): string | undefined {
  const isRight = [columns, rows].every((side) => Number.isInteger(side) && side >= 1 && side <= maxSide);
  return isRight ? undefined : `a terminal must have 1 to ${maxSide} columns and rows`;
}

const maxSide = 1_000;
