/** A resource that the user's prompt names as `@server:uri`. */
export interface ResourceReference {
  readonly server: string;
  readonly uri: string;
}

const maxReferences = 20;

/**
 * The references in a text to these servers, each once. Punctuation at the end of a sentence is not part of a
 * reference.
 */
export function resourceReferences(text: string, servers: readonly string[]): readonly ResourceReference[] {
  const matches = new Map<string, ResourceReference>();
  for (const [, server = "", rest = ""] of text.matchAll(/(?<![^\s([{"'])@([\w.-]+):(\S+)/gu)) {
    const uri = rest.replace(/(?<![.,;:!?)\]}"'>])[.,;:!?)\]}"'>]+$/u, "");
    if (uri !== "" && servers.includes(server)) matches.set(`${server}:${uri}`, { server, uri });
  }
  return [...matches.values()].slice(0, maxReferences);
}
