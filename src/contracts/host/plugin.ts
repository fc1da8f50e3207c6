import type { Logger } from "../../base/log/log.ts";
import type { EnvironmentFactory } from "../environment/environment.ts";
import type { MemoryProvider } from "../knowledge/memory.ts";
import type { ContextEngine } from "../model/context.ts";
import type { ModelProvider } from "../model/model.ts";
import type { PolicySource } from "../safety/approval.ts";
import type { Tool } from "../tool/tool.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { Command } from "./command.ts";
import type { Hooks } from "./hook.ts";
import type { PlatformAdapter } from "./platform.ts";

/** A function from host to contributions. The loader registers them, counts them, and takes them back. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly requiresEnv?: readonly string[];
  /** Tools it would replace; in force only as far as the operator granted. */
  readonly overrides?: readonly string[];
  setup(host: PluginHost): Contributions | Promise<Contributions>;
}

export interface PluginHost {
  readonly dataDir: string;
  readonly log: Logger;
  readonly secrets: Readonly<Record<string, string>>;
  readonly options: unknown;
}

export interface Contributions {
  readonly tools?: readonly Tool[];
  readonly toolsets?: readonly Toolset[];
  readonly hooks?: Hooks;
  readonly commands?: readonly Command[];
  readonly providers?: readonly ModelProvider[];
  readonly environments?: readonly EnvironmentFactory[];
  readonly platforms?: readonly PlatformAdapter[];
  readonly policies?: readonly PolicySource[];
  readonly contextEngine?: ContextEngine;
  readonly memory?: MemoryProvider;
  readonly skillDirs?: readonly string[];
  readonly dispose?: () => Promise<void>;
}

/** Says at the definition what a plugin is, so that editors help to write it. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
