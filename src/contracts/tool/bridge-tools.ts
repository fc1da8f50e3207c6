/** The tools that find, describe and call the deferred ones. */
export const bridgeTools: readonly string[] = ["tool_call", "tool_describe", "tool_search"];

export function isBridge(name: string): boolean {
  return bridgeTools.includes(name);
}
