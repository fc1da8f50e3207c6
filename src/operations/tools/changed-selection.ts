import { err, ok, type Result } from "../../base/result.ts";
import type { ToolSelection } from "../../contracts/tool/toolset.ts";

/** The selection with some tools and toolsets enabled and others disabled. */
export function changedSelection(
  before: ToolSelection,
  { enable, disable }: { readonly enable: readonly string[]; readonly disable: readonly string[] },
  kindOf: (name: string) => "tool" | "toolset" | undefined,
): Result<ToolSelection> {
  const unknown = [...enable, ...disable].find((name) => kindOf(name) === undefined);
  if (unknown !== undefined) return err({ message: `There is no tool or toolset ${unknown}.` });
  const of = (names: readonly string[], kind: "tool" | "toolset") => names.filter((name) => kindOf(name) === kind);
  const change = (list: readonly string[] = [], add: readonly string[], remove: readonly string[]) => [
    ...new Set([...list.filter((name) => !remove.includes(name)), ...add]),
  ];
  const [setsOn, setsOff] = [of(enable, "toolset"), of(disable, "toolset")];
  const [toolsOn, toolsOff] = [of(enable, "tool"), of(disable, "tool")];
  return ok({
    ...before,
    ...(before.enabled && { enabled: change(before.enabled, setsOn, []) }),
    disabled: change(before.disabled, setsOff, setsOn),
    enabledTools: change(before.enabledTools, toolsOn, toolsOff),
    disabledTools: change(before.disabledTools, toolsOff, toolsOn),
  });
}
