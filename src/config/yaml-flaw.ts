import type { Document, Node } from "yaml";

/** What is well-formed and still cannot be read as settings, and where in the text. */
export interface YamlFlaw {
  readonly message: string;
  readonly at: number;
}

/**
 * The first flaw of a document, or nothing: a key twice, a key that JavaScript reserves, an alias without its anchor, a
 * number that is none. Its message repeats no value: a secret that lacks its quotes looks like an alias.
 */
export async function flawIn(document: Document): Promise<YamlFlaw | undefined> {
  const { isAlias, isMap, isNode, isScalar, visit } = await import("yaml");
  const matches: YamlFlaw[] = [];
  const anchors = new Set<string>();
  visit(document, (_, node) => {
    if (isAlias(node) && !anchors.has(node.source))
      tell(node, "malformed YAML: an alias without its anchor; a text that begins with * needs quotes");
    if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value))
      tell(node, "a number must be finite");
    if (isMap(node)) visitKeys(node.items.map(({ key }) => key));
    if (isNode(node) && !isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
    return matches.length > 0 ? visit.BREAK : undefined;
  });
  return matches[0];

  function visitKeys(keys: readonly unknown[]): void {
    const names = new Set<unknown>();
    for (const key of keys) {
      if (!isScalar(key)) continue;
      if (names.has(key.value)) tell(key, "malformed YAML: a duplicate key; it is in this section twice");
      if (key.value === "__proto__") tell(key, "the key __proto__ is not accepted");
      names.add(key.value);
    }
  }

  function tell(node: Node, message: string): void {
    matches.push({ message, at: node.range?.[0] ?? 0 });
  }
}
