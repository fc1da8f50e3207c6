import type { SyntaxNode } from "unbash";

import { eachNode } from "./each-node.ts";
import { expandOne } from "./expand-word.ts";
import type { Expansion } from "./expansion.ts";

/** Commands within tests and arithmetic run, too. */
export function embedded(tree: SyntaxNode, scope: Expansion): void {
  eachNode(tree, (child) => {
    if (child.type === "Word") expandOne(child, scope);
    else if (child.type === "CommandExpansion" || child.type === "ArithmeticCommandExpansion")
      scope.output(child.script);
    else return child.type !== "CompoundList";
    return false;
  });
}
