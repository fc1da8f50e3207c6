import type { PluginLanguage } from "../../contracts/plugin/manifest.ts";
import { pythonTemplate } from "./python-template.ts";
import { typescriptTemplate } from "./typescript-template.ts";

export interface TemplateOptions {
  /** The name of the plugin: letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  readonly language: PluginLanguage;
  /** The declarations of `hermes-agent-ts/plugin` on this machine (`authorTypesFile`), for editors. */
  readonly typesFile?: string;
}

/** The files of a new plugin, by path: a manifest, a tool, a hook, a README and a test that passes. */
export function pluginTemplate({ name, language, typesFile }: TemplateOptions): Readonly<Record<string, string>> {
  // The names of tools and modules follow stricter rules than those of plugins. The prefix keeps the tools of two new
  // plugins apart.
  const tool = `${name.replaceAll(/[^A-Za-z0-9_]/gu, "_").toLowerCase()}_greet`;
  return language === "python" ? pythonTemplate(name, tool) : typescriptTemplate(name, tool, typesFile);
}
