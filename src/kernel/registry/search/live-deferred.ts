import { byText } from "../../../base/text/order.ts";
import { isBridge } from "../../../contracts/tool/bridge-tools.ts";
import type { Availability, RegisteredTool } from "../../../contracts/tool/registry.ts";
import type { CatalogView } from "../../../contracts/tool/tool-index.ts";
import type { Tool } from "../../../contracts/tool/tool.ts";
import type { Selected } from "../selection.ts";
import { showTool } from "../shown-tool.ts";
import type { ToolsetWorld } from "../toolsets.ts";
import { createDeferred, type DeferredTools } from "./deferred-tools.ts";

export interface LiveDeps {
  readonly first: DeferredTools;
  readonly firstGeneration: number;
  readonly generation: () => number;
  readonly world: () => ToolsetWorld;
  /** Registers the tools that are loaded only when they are needed. */
  readonly loadLate: () => void;
  readonly select: (world: ToolsetWorld) => Selected;
  /** The names of the tools that are sent directly; these do not change. */
  readonly direct: readonly RegisteredTool[];
  readonly isDirect: (name: string) => boolean;
  /** The descriptions of the tools in the first build; undefined for an unavailable tool. */
  readonly judged: ReadonlyMap<Tool, RegisteredTool | undefined>;
  readonly available: Availability;
}

/**
 * Returns the deferred tools of a session from the current registry, limited to its selection: an MCP tool that arrives
 * later is included, a removed one is not, and a disabled one never is. `isAll`: includes tools that are not loaded
 * yet.
 */
export function followRegistry(deps: LiveDeps): (isAll: boolean) => DeferredTools {
  let generation = deps.firstGeneration;
  let current = deps.first;
  const judged = new WeakMap<Tool, RegisteredTool | undefined>(deps.judged);

  /** Runs synchronously, so a new tool counts as available until its check finishes. */
  function judge(registered: RegisteredTool, view: CatalogView, world: ToolsetWorld): void {
    const { tool, source } = registered;
    const shown = showTool(tool, view, (name) => world.names.has(name) && !view.has(name));
    judged.set(tool, { tool: shown.tool, source });
    const refuse = (why: unknown) => {
      if (why === undefined) return;
      judged.set(tool, undefined);
      generation = -1;
    };
    // A tool of an MCP server has no requirements.
    if (!tool.card) void deps.available.missing(tool).then(refuse, refuse);
  }

  function refresh(): DeferredTools {
    const world = deps.world();
    const selected = deps.select(world);
    const candidates = Array.from(world.tools.values()).filter(
      ({ tool }) =>
        selected.names.has(tool.name) &&
        !deps.isDirect(tool.name) &&
        !isBridge(tool.name) &&
        tool.traits.callers !== "script",
    );
    const view = viewOf([...deps.direct, ...candidates].map(({ tool }) => tool.name));
    for (const each of candidates) if (!judged.has(each.tool)) judge(each, view, world);
    return createDeferred(
      candidates.flatMap(({ tool }) => judged.get(tool) ?? []),
      deps.direct,
    );
  }

  return (isAll) => {
    if (isAll) deps.loadLate();
    if (generation !== deps.generation()) {
      generation = deps.generation();
      current = refresh();
    }
    return current;
  };
}

export function viewOf(names: readonly string[]): CatalogView {
  const set = new Set(names);
  return { has: (name) => set.has(name), names: Object.freeze(names.toSorted(byText)) };
}
