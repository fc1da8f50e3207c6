import type { Registry } from "../../contracts/tool/registry.ts";
import { mcpTools, offReason } from "../../mcp/adapt/mcp-tools.ts";
import type { OpenedFleet, ServedTools } from "../../mcp/fleet/mcp-fleet.ts";
import { toolPrefix, toolsetOf } from "../../mcp/fleet/tool-names.ts";

/** Keeps the tools of all servers in a registry up to date. Definitions are read only when a tool is needed. */
export function followTools(fleet: OpenedFleet, registry: Registry): Disposable {
  const added = new Map<string, { readonly hash: string; readonly parts: DisposableStack }>();

  function add(served: ServedTools): DisposableStack {
    const { name: server } = served.entry;
    const toolset = toolsetOf(server);
    const parts = new DisposableStack();
    const load = () => mcpTools(served, fleet);
    const whyNot = (name: string) => offReason(name, server, fleet);
    parts.use(registry.addLate({ toolset, server, count: served.count, load, whyNot }));
    if (served.count > 0) parts.use(registry.addAlias(server, toolset));
    return parts;
  }

  function update(): void {
    const served = new Map(fleet.served().map((each) => [each.entry.name, each]));
    for (const [name, { hash, parts }] of added) {
      if (served.get(name)?.hash === hash) continue;
      parts.dispose();
      added.delete(name);
    }
    for (const [name, each] of served) {
      if (!added.has(name)) added.set(name, { hash: each.hash, parts: add(each) });
    }
  }

  /** Explains why a tool is missing whose server was never reached. */
  function whyUnknown(name: string): string | undefined {
    const server = fleet.glance().find((each) => name.startsWith(toolPrefix(each.name)));
    if (!server || added.has(server.name)) return undefined;
    const why = server.why === undefined ? "" : ` ${server.why.replace(/\.?$/u, ".")}`;
    return `MCP server ${server.name} has not listed its tools yet.${why} To try it: hermes mcp test ${server.name}`;
  }

  const unreached = registry.addLate({ toolset: "mcp", server: "mcp", count: 0, load: () => [], whyNot: whyUnknown });
  update();
  const watching = fleet.onChange(update);
  return {
    [Symbol.dispose]() {
      watching[Symbol.dispose]();
      unreached[Symbol.dispose]();
      for (const { parts } of added.values()) parts.dispose();
    },
  };
}
