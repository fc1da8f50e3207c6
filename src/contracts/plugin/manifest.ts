/** The file `plugin.yaml` of a plugin, as data. Unknown fields are ignored. */
export interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly kind: PluginKind;
  readonly requiresEnv: readonly RequiredVariable[];
  /** The permissions in the manifest. Undefined: the manifest declares none, and the defaults apply. */
  readonly permissions?: Permissions;
  /**
   * The names of the contributions in the manifest or the code, read without running the code. Shown before a person
   * enables the plugin.
   */
  readonly provides?: ProvidedNames;
  /** The file with the code, relative to the folder. Default: depends on the language. */
  readonly entry?: string;
}

/** The names of the contributions by kind: `tools`, `hooks`, `commands`, … */
export type ProvidedNames = Readonly<Record<string, readonly string[]>>;

export const pluginKinds = ["standalone", "backend", "exclusive", "platform", "model-provider"] as const;
export type PluginKind = (typeof pluginKinds)[number];

/** An environment variable that the plugin requires to load. */
export interface RequiredVariable {
  readonly name: string;
  /** Tells the user what the variable is and where to get it. */
  readonly prompt?: string;
  readonly url?: string;
}

/**
 * The permissions of a plugin in addition to the default ones: read its own folder, write its data folder, provide
 * skills.
 */
export interface Permissions {
  /** Path patterns: `~`, `$WORKSPACE`, `*` and `**`. A folder means everything in it. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Host patterns: `api.example.com`, `*.example.com`, `127.0.0.1:8080`, or `*`. */
  readonly net: readonly string[];
  /** Names of environment variables. */
  readonly env: readonly string[];
  /** True if the plugin may start other programs, in the same sandbox. */
  readonly exec: boolean;
  /** The tools that the plugin may call. */
  readonly tools: readonly string[];
}

export const noPermissions: Permissions = { read: [], write: [], net: [], env: [], exec: false, tools: [] };

/** The places where Hermes looks for plugins. A later source takes precedence over an earlier one with the same key. */
const pluginSources = ["bundled", "home", "project", "npm", "python"] as const;
export type PluginSource = (typeof pluginSources)[number];

export type PluginLanguage = "typescript" | "python";

/** A plugin on disk. None of its code has run. */
export interface FoundPlugin {
  /**
   * The key of the plugin: `name`, or `category/folder` one level down; the name of an entry point; `scope/name` of an
   * npm package.
   */
  readonly key: string;
  readonly source: PluginSource;
  /**
   * The absolute real path of the plugin's folder. For a Python package: the package's folder, or the folder that
   * contains its only file.
   */
  readonly folder: string;
  readonly manifest: PluginManifest;
  readonly language: PluginLanguage;
  /**
   * The absolute path of the code. For a Python package that was discovered by its metadata: the module, as in
   * `package.module` or `package.module:name`.
   */
  readonly entry: string;
}
