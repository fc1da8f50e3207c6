import { forEachChild, type SyntaxNode } from "unbash";

/** Visits everything below a node, from left to right. `enter` returns whether to descend. Works at any depth. */
export function eachNode(tree: SyntaxNode, enter: (node: SyntaxNode) => boolean): void {
  const waiting: SyntaxNode[] = [];
  const add = (node: SyntaxNode) => {
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => void children.push(child));
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index];
      if (child) waiting.push(child);
    }
  };
  add(tree);
  for (let node = waiting.pop(); node; node = waiting.pop()) if (enter(node)) add(node);
}
