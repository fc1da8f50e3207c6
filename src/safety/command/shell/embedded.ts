import { forEachChild, type SyntaxNode } from "unbash";

import { expandOne } from "./expand-word.ts";
import type { Expansion } from "./expansion.ts";

/** Commands within tests and arithmetic run, too. */
export function embedded(tree: SyntaxNode, scope: Expansion): void {
  forEachChild(tree, (child) => {
    if (child.type === "Word") expandOne(child, scope);
    else if (child.type === "CommandExpansion" || child.type === "ArithmeticCommandExpansion")
      scope.output(child.script);
    else if (child.type !== "CompoundList") embedded(child, scope);
  });
}
