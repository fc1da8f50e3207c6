/** The tools that search, describe and call deferred tools, whose definitions are not sent to the model. */
export const bridgeTools: readonly string[] = ["tool_call", "tool_describe", "tool_search"];

export function isBridge(name: string): boolean {
  return bridgeTools.includes(name);
}
