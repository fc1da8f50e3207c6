import { nearest } from "../../base/text/nearest.ts";
import { plural } from "../../base/text/text.ts";
import { isBridge } from "../../contracts/tool/bridge-tools.ts";
import type { LateTools, SettingNames } from "../../contracts/tool/registry.ts";
import type { ToolSelection } from "../../contracts/tool/toolset.ts";
import { legacyToolsets } from "./legacy-names.ts";
import { expandToolset, findToolset, isEverything, type ToolsetWorld } from "./toolsets.ts";

export interface Selected {
  /**
   * The selected tools, all of them registered. The search tools are not part of it; they are added with the tools that
   * need them.
   */
  readonly names: ReadonlySet<string>;
  /** Selected tools that are not loaded yet. */
  readonly late: readonly LateTools[];
  readonly notices: readonly string[];
  /** The reason why no tool is left. Undefined if there are tools. */
  readonly emptied: string | undefined;
  /** Returns the setting that disabled a tool. */
  readonly disabledBy: (name: string) => string | undefined;
}

/**
 * Applies a selection in this order: the enabled sets (default: all) and the tools of plugins, MCP servers and the
 * user's own folder, minus the disabled sets, plus tools enabled by name, minus tools disabled by name.
 */
export function select(selection: ToolSelection, world: ToolsetWorld, settings: SettingNames): Selected {
  const notices: string[] = [];
  const used = new Map<string, string>();
  const names = enabledNames(selection, world, settings, notices);
  const began = names.size;
  const late = new Map([...world.late].filter(([set]) => world.sets.get(set)?.role !== "explicit"));

  for (const name of selection.disabled ?? []) {
    const setting = `${settings.disabled}: [${name}]`;
    for (const tool of disabledNames(name, world, settings, notices)) {
      used.set(tool, setting);
      names.delete(tool);
    }
    for (const set of expandToolset(name, world)?.late ?? []) late.delete(set);
  }
  const afterSets = names.size;

  for (const name of currentNames(selection.enabledTools, world)) {
    if (!world.names.has(name)) notices.push(unknownTool(name, settings.enabledTools, settings.enabled, world));
    if (!isChoosable(name, world)) continue;
    names.add(name);
    used.delete(name);
  }
  const beforeNames = names.size;

  for (const name of currentNames(selection.disabledTools, world)) {
    if (!world.names.has(name)) notices.push(unknownTool(name, settings.disabledTools, settings.disabled, world));
    used.set(name, `${settings.disabledTools}: [${name}]`);
    names.delete(name);
  }

  const own = names.size;
  narrow(selection, names, used);
  // Names of tools that are not loaded yet cannot be listed in `only`.
  if (selection.only) late.clear();

  return {
    names,
    late: [...late.values()],
    notices,
    emptied:
      names.size + late.size > 0
        ? undefined
        : own > 0
          ? "The task of this agent leaves no tool of those that the session has."
          : emptied({ began, afterSets, beforeNames }, selection, world, settings),
    disabledBy: (name) => used.get(name),
  };
}

/** Removes the tools that a child agent must not have. */
function narrow({ only, never = [] }: ToolSelection, names: Set<string>, used: Map<string, string>): void {
  for (const name of only ? names.difference(new Set(only)) : []) {
    names.delete(name);
    used.set(name, "the task of this agent");
  }
  for (const name of never) if (names.delete(name)) used.set(name, "the rules for child agents");
}

function enabledNames(
  selection: ToolSelection,
  world: ToolsetWorld,
  settings: SettingNames,
  notices: string[],
): Set<string> {
  const selected = new Set<string>();
  for (const name of selection.enabled ?? ["all"]) {
    const expansion = expandToolset(name, world);
    if (!expansion) notices.push(unknownSet(name, settings.enabled, settings.enabledTools, world));
    else {
      for (const tool of expansion.tools) selected.add(tool);
      notices.push(...expansion.unknown.map((part) => unknownPart(name, part, world)));
    }
  }
  for (const { tool, source } of world.tools.values()) {
    const joins = source.kind !== "builtin";
    if (joins && world.sets.get(tool.toolset)?.role !== "explicit") selected.add(tool.name);
  }
  return new Set([...selected].filter((name) => isChoosable(name, world)));
}

/** An older spelling refers to every tool that it may mean. */
export function currentNames(names: readonly string[] = [], world: ToolsetWorld): readonly string[] {
  return names.flatMap((name) => {
    const former = world.names.has(name) ? [] : world.formerNames(name);
    return former.length > 0 ? former : [name];
  });
}

function isChoosable(name: string, world: ToolsetWorld): boolean {
  return world.tools.has(name) && !isBridge(name);
}

function disabledNames(name: string, world: ToolsetWorld, settings: SettingNames, notices: string[]): Iterable<string> {
  if (isEverything(name)) return world.names;
  const expansion = expandToolset(name, world);
  if (!expansion) {
    notices.push(unknownSet(name, settings.disabled, settings.disabledTools, world));
    // A tool that the user disables in the setting for toolsets is disabled too.
    return world.names.has(name) ? [name] : [];
  }
  notices.push(...expansion.unknown.map((part) => unknownPart(name, part, world)));
  const role = findToolset(name, world)?.role;
  if (role !== "preset" && role !== "posture") return expansion.tools;
  const own = [...expansion.tools].filter((tool) => !world.core.has(tool));
  const removal = own.length === 0 ? "no tool was removed" : `only ${own.toSorted().join(", ")} was removed`;
  notices.push(
    `${settings.disabled}: ${name} is a ${role}; the core tools stay and ${removal}. ` +
      `Disable toolsets by their own names (web, terminal, …) or tools with ${settings.disabledTools}.`,
  );
  return own;
}

// ── sentences ───────────────────────────────────────────────────────────────────────────────────────────────────────

function unknownSet(name: string, setting: string, toolSetting: string, world: ToolsetWorld): string {
  if (world.names.has(name)) {
    return `${setting}: ${name} is a tool, not a toolset; name it in ${toolSetting} instead.`;
  }
  const near = nearest(name, setNames(world));
  const preset = `hermes-${name.toLowerCase()}`;
  return `${setting}: there is no toolset ${name}${suggestion(
    world.sets.has(preset) ? [preset, ...near.filter((other) => other !== preset)] : near,
  )}. \`hermes toolsets list\` shows them all.`;
}

function unknownTool(name: string, setting: string, setSetting: string, world: ToolsetWorld): string {
  if (isEverything(name) || expandToolset(name, world)) {
    return `${setting}: ${name} is a toolset, not a tool; name it in ${setSetting} instead.`;
  }
  return `${setting}: there is no tool ${name}${suggestion(nearest(name, world.names))}.`;
}

function unknownPart(set: string, part: string, world: ToolsetWorld): string {
  return `toolset ${set} includes ${part}, which does not exist${suggestion(nearest(part, setNames(world)))}.`;
}

function suggestion(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (did you mean ${names.slice(0, 3).join(" or ")}?)`;
}

function setNames(world: ToolsetWorld): readonly string[] {
  return ["all", ...world.sets.keys(), ...world.aliases.keys(), ...legacyToolsets.keys()];
}

function emptied(
  left: { readonly began: number; readonly afterSets: number; readonly beforeNames: number },
  selection: ToolSelection,
  world: ToolsetWorld,
  settings: SettingNames,
): string {
  const shown = (setting: keyof SettingNames) => `${settings[setting]}: [${(selection[setting] ?? []).join(", ")}]`;
  if (world.tools.size === 0) return "No tool is registered at all: the installation is damaged.";
  if (left.beforeNames > 0)
    return `${shown("disabledTools")} takes away the last ${left.beforeNames === 1 ? "tool" : plural(left.beforeNames, "tool")}.`;
  if (left.began > 0 && left.afterSets === 0) {
    const all = left.began === 1 ? "the only tool that was" : `all of the ${plural(left.began, "tool")} that were`;
    return `${shown("disabled")} takes away ${all} enabled.`;
  }
  if (!selection.enabled)
    return `Every registered tool belongs to a toolset that must be listed in ${settings.enabled}.`;
  return `${shown("enabled")} enables none of the ${plural(world.tools.size, "registered tool")}.`;
}
