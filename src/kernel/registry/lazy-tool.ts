import { err, reasonOf } from "../../base/result.ts";
import { fail } from "../../contracts/tool/tool-result.ts";
import type { Tool, ToolHeader } from "../../contracts/tool/tool.ts";

/** The facts about a tool that the build records, so that a catalog can be built without loading its code. */
export interface LazyHeader extends ToolHeader {
  readonly hasCheck: boolean;
  readonly hasRefine: boolean;
}

/**
 * Returns the static facts about a tool. A time limit that depends on the arguments needs the code: see
 * `PreparedCall.timeoutMs`.
 */
export function headerOf(tool: Tool): LazyHeader {
  const { name, toolset, description, inputSchema, needs, requiresEnv, emoji, declaresEffects } = tool;
  const { timeoutMs, ...traits } = tool.traits;
  return {
    name,
    toolset,
    description,
    inputSchema,
    needs,
    requiresEnv,
    traits: typeof timeoutMs === "number" ? { ...traits, timeoutMs } : traits,
    emoji,
    ...(declaresEffects && { declaresEffects }),
    hasCheck: tool.check !== undefined,
    hasRefine: tool.refine !== undefined,
  };
}

/** A tool whose module is loaded at its first call, or when its check or refinement runs. */
export function lazyTool(facts: LazyHeader, load: () => Promise<Tool>): Tool {
  const { name, toolset, description, inputSchema, needs, requiresEnv, traits, emoji, declaresEffects } = facts;
  let loading: Promise<Tool> | undefined;
  let loaded: Tool | undefined;

  function loadOnce(): Promise<Tool> {
    loading ??= load().then(
      (tool) => (loaded = tool),
      (thrown: unknown) => {
        // Resets the state, so that the next call tries again.
        loading = undefined;
        throw thrown;
      },
    );
    return loading;
  }

  return {
    name,
    toolset,
    description,
    inputSchema,
    needs,
    requiresEnv,
    traits,
    emoji,
    ...(declaresEffects && { declaresEffects }),
    ...((facts.hasCheck || facts.hasRefine) && { load: loadOnce }),
    prepare: (args) =>
      loaded
        ? loaded.prepare(args)
        : loadOnce().then(
            (tool) => tool.prepare(args),
            (thrown: unknown) => err(fail(`${name} could not be loaded: ${reasonOf(thrown)}`, "crashed").error),
          ),
  };
}
