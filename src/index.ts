/** The library: what a program that embeds Hermes may use. */
export { version } from "./base/version.ts";
export { loadConfig, type LoadedConfig } from "./config/load.ts";
export type { Catalog, Diagnostic, Registry } from "./contracts/registry.ts";
export type { ToolResult } from "./contracts/tool.ts";
export type { TaskOverrides } from "./runtime/open-environment.ts";
export { openToolbox, type Toolbox, type ToolboxOptions, type ToolStatus } from "./runtime/toolbox.ts";
