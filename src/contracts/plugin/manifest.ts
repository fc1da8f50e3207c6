/** The file `plugin.yaml` of a plugin, as data. Unknown fields are ignored. */
export interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly kind: PluginKind;
  readonly requiresEnv: readonly RequiredVariable[];
  /** Undefined: the manifest declares none, and the defaults apply. */
  readonly permissions?: Permissions;
  /** Names in the manifest or in the code, read without running it and shown before a person enables the plugin. */
  readonly provides?: ProvidedNames;
  /** The file with the code, relative to the folder. Undefined: the language decides. */
  readonly entry?: string;
}

/** Names by kind: `tools`, `hooks`, `commands`, … */
export type ProvidedNames = Readonly<Record<string, readonly string[]>>;

export const pluginKinds = ["standalone", "backend", "exclusive", "platform", "model-provider"] as const;
export type PluginKind = (typeof pluginKinds)[number];

/** An environment variable without which the plugin does not load. */
export interface RequiredVariable {
  readonly name: string;
  /** Text for a person: what the variable is, and where to get it. */
  readonly prompt?: string;
  readonly url?: string;
}

/** Permissions of a plugin beyond the default: to read its own folder, write its data folder, place a skill. */
export interface Permissions {
  /** Path patterns: `~`, `$WORKSPACE`, `*` and `**`. A folder means everything in it. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** `api.example.com`, `*.example.com`, `127.0.0.1:8080`, or `*`. */
  readonly net: readonly string[];
  /** Names of environment variables. */
  readonly env: readonly string[];
  /** Starts other programs, in the same sandbox. */
  readonly exec: boolean;
  /** Tools that it may call. */
  readonly tools: readonly string[];
}

export const noPermissions: Permissions = { read: [], write: [], net: [], env: [], exec: false, tools: [] };

/** The places where plugins are found. A later source wins over an earlier one with the same key. */
const pluginSources = ["bundled", "home", "project", "npm", "python"] as const;
export type PluginSource = (typeof pluginSources)[number];

export type PluginLanguage = "typescript" | "python";

/** A plugin on disk. None of its code has run. */
export interface FoundPlugin {
  /** `name`, or `category/folder` one level down; the name of an entry point; `scope/name` of an npm package. */
  readonly key: string;
  readonly source: PluginSource;
  /** Absolute and real path. For a Python package: the package's folder, or the folder that contains its only file. */
  readonly folder: string;
  readonly manifest: PluginManifest;
  readonly language: PluginLanguage;
  /** Absolute. For a Python package found by its metadata: the module, as in `package.module` or `package.module:name`. */
  readonly entry: string;
}
