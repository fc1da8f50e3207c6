import type { Document, Node } from "yaml";

import { reasonOf } from "../../../base/result.ts";
import type { TextFault } from "./text-fault.ts";

/**
 * Where and why a text is not YAML: every document of it, with any tags. A key twice and an alias without its anchor are
 * faults, as they are for most that read YAML. Undefined when there is none.
 */
export async function yamlFault(text: string): Promise<TextFault | undefined> {
  const { parseAllDocuments } = await import("yaml");
  let documents: readonly Document.Parsed[];
  try {
    // The library looks for equal keys by comparing each with each.
    const parsed = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    documents = "empty" in parsed ? [] : parsed;
  } catch (thrown) {
    return { at: 0, why: reasonOf(thrown) };
  }
  for (const document of documents) {
    const [first] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
    if (first) return { at: Math.min(first.pos[0], text.length), why: first.message };
    const flaw = await flawIn(document);
    if (flaw) return flaw;
  }
  return undefined;
}

async function flawIn(document: Document): Promise<TextFault | undefined> {
  const { isAlias, isMap, isNode, isScalar, visit } = await import("yaml");
  const anchors = new Set<string>();
  const found: TextFault[] = [];
  const tell = (node: Node, why: string) => void found.push({ at: node.range?.[0] ?? 0, why });
  try {
    visit(document, (_, node) => {
      if (isAlias(node) && !anchors.has(node.source))
        tell(node, `*${node.source} has no anchor &${node.source} above it`);
      if (isNode(node) && !isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
      if (isMap(node)) {
        const keys = new Set<unknown>();
        for (const { key } of node.items) {
          if (!isScalar(key) || key.value === mergeKey) continue;
          if (keys.has(key.value)) tell(key, `the key ${String(key.value)} is here twice`);
          keys.add(key.value);
        }
      }
      return found.length > 0 ? visit.BREAK : undefined;
    });
  } catch (thrown) {
    return { at: 0, why: reasonOf(thrown) };
  }
  return found[0];
}

const mergeKey = "<<";
