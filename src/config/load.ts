import { basename, join } from "node:path";

import type { JsonObject, JsonValue } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { expandVariables } from "../base/text/expand-variables.ts";
import { createMask } from "../base/text/mask.ts";
import { plural } from "../base/text/text.ts";
import { type Env, type Home, homeFiles, resolveHome, userFolder } from "./home.ts";
import { coerceText } from "./keys/coerce.ts";
import { moveDeprecatedKeys } from "./keys/deprecated-keys.ts";
import { keyText, parseKey } from "./keys/key-path.ts";
import { operatorKeys } from "./keys/original-keys.ts";
import { checkValue } from "./keys/rule.ts";
import { waitingWarnings } from "./keys/waiting-keys.ts";
import { lostTextProblem } from "./last-good.ts";
import { type ConfigFault, type Problem, problemText } from "./problem.ts";
import { type Config, keyTree, nodeAt, type Section } from "./schema.ts";
import { environmentLayer, type EnvironmentView, readEnvironmentView } from "./sources/environment.ts";
import { badValue, type Layer, type LayerValue, readLayer } from "./sources/layer.ts";
import { createMerge, type LayerValues, type OriginOf, type ValueOrigin } from "./sources/merge.ts";
import { findProjectFile, type ProjectFile } from "./sources/project-file.ts";
import { createSecrets, type Secrets } from "./sources/secrets.ts";
import { parseSettings, readSettingsFile } from "./yaml/read-yaml.ts";
import type { SettingsFile } from "./yaml/settings-file.ts";

export type { ValueOrigin } from "./sources/merge.ts";
export type { ConfigFault, Problem } from "./problem.ts";
export type { Config } from "./schema.ts";

export interface LoadInput {
  readonly env: Env;
  readonly cwd: string;
  /** `-p NAME`. */
  readonly profile?: string | undefined;
  /** Values of flags by key: `{ "logging.level": "debug" }`. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** True: uses defaults instead of the user's and the project's file. Their deny rules still apply. */
  readonly ignoreUserFile?: boolean;
  /** Login name of the current user. Default: the name of the user's home folder. */
  readonly user?: string;
}

/** The configuration of a process. It is read once and frozen; parts of the program get their slices. */
export interface LoadedConfig {
  /** The environment at the start of this process, for its child processes; without the home's `.env`. */
  readonly env: Env;
  /** Login name of the current user, as shells expand `$USER` and `~user`. */
  readonly user: string;
  readonly home: Home;
  readonly values: Config;
  /** Origins by key (`approvals.mode`), one for every leaf of `values`. */
  readonly origins: ReadonlyMap<string, ValueOrigin>;
  /** Keys of the user's file that this version does not use, with their values. */
  readonly unused: ReadonlyMap<string, { readonly value: JsonValue; readonly origin: ValueOrigin }>;
  /** Sentences for the user, without secrets. */
  readonly warnings: readonly string[];
  readonly secrets: Secrets;
  readonly projectFile: ProjectFile;
}

/**
 * Precedence: flags, environment, project file, user file, defaults. Reads only the home's `.env`, which the process
 * environment overrides. Creates nothing. An error means that nothing may start with this configuration.
 */
export async function loadConfig(input: LoadInput): Promise<Result<LoadedConfig, ConfigFault>> {
  const home = await resolveHome(input.env, input.cwd, input.profile);
  if (!home.ok) return err({ problems: [home.error] });
  const root = keyTree();
  const view = await readEnvironmentView(home.value, input.env);
  const { secrets, hide, ...user } = await readUserFile(root, home.value, view);
  const project = await readProjectFile(root, input, home.value);
  const environment = environmentLayer(root, view, hide);
  const flags = flagLayer(root, input.overrides ?? {}, hide);
  const files = input.ignoreUserFile ? [] : [user, project];
  const problems = [view, ...files, environment, flags].flatMap(({ faults }) => faults);
  if (problems.length > 0) return err({ problems });

  const merge = createMerge(root);
  const counts = (values: LayerValues) => (input.ignoreUserFile ? onlyForbidding(values) : values);
  merge.lay(counts(user.values), user.origin);
  const refused = merge.layProject(counts(project.values), project.origin);
  merge.lay(environment.values, environment.origin);
  merge.lay(flags.values, () => ({ from: "flag" }));
  const warnings = [...view.warnings, ...user.warnings, ...project.warnings, ...refused, ...environment.warnings];
  return ok({
    env: input.env,
    user: input.user ?? basename(userFolder(input.env)),
    home: home.value,
    values: merge.values(),
    origins: merge.origins,
    unused: new Map([...user.unused].map(([key, value]) => [key, { value, origin: user.origin(key) }])),
    warnings: [
      ...warnings.map(problemText),
      ...waitingWarnings([user, project, environment, flags].flatMap(({ values }) => [...values.keys()])),
    ],
    secrets,
    projectFile: project.state,
  });
}

function onlyForbidding(values: LayerValues): LayerValues {
  return new Map([...values].filter(([key]) => key === "approvals.deny" || key === "approvals.ask"));
}

/**
 * Reads one file against the known keys; a deprecated key counts as its replacement. `hide` masks an expanded tree,
 * whose messages would repeat secrets.
 */
export function readSettings(root: Section, yaml: SettingsFile, hide = (text: string) => text): Layer {
  const { tree, notices } = moveDeprecatedKeys(yaml.tree);
  const layer = readLayer(root, tree, (path) => ({ file: yaml.file, ...yaml.place(path) }), hide);
  const hint = "run `hermes config migrate` to update the file";
  const problems = notices.map((message) => ({ file: yaml.file, message, hint }));
  return { ...layer, warnings: [...problems, ...layer.warnings] };
}

interface Part extends Pick<Layer, "values" | "unused" | "faults" | "warnings"> {
  readonly origin: OriginOf;
}

const nothing: Part = {
  values: new Map(),
  unused: new Map(),
  faults: [],
  warnings: [],
  origin: () => ({ from: "default" }),
};

async function readUserFile(
  root: Section,
  home: Home,
  view: EnvironmentView,
): Promise<Part & { readonly secrets: Secrets; readonly hide: (text: string) => string }> {
  const yaml = await readSettingsFile(join(home.path, homeFiles.config), (bytes) => lostTextProblem(home, bytes));
  const written = yaml.ok ? (yaml.value?.tree ?? {}) : {};
  const tree = expand(written, view.env, (name) => root.keys.get(name)?.safety === true);
  const secrets = createSecrets(view, tree);
  const mask = createMask();
  for (const value of secrets.values) mask.add(value);
  const hide = (text: string) => mask.redact(text);
  if (!yaml.ok || yaml.value === undefined) return { ...nothing, faults: yaml.ok ? [] : yaml.error, secrets, hide };
  const layer = readSettings(root, { ...yaml.value, tree }, hide);
  const message = `has ${plural(layer.original.length, "setting")} of the Python version that this version does not use; \`hermes config check\` lists them`;
  const knownNames = layer.original.length === 0 ? [] : [{ file: yaml.value.file, message }];
  const warnings = [...layer.warnings, ...knownNames];
  return { ...layer, warnings, secrets, hide, origin: fileOrigin("user file", yaml.value) };
}

async function readProjectFile(
  root: Section,
  input: LoadInput,
  home: Home,
): Promise<Part & { readonly state: ProjectFile }> {
  const { file: state, warning } = await findProjectFile(input.env, input.cwd, home);
  const before = warning === undefined ? [] : [warning];
  if (state.state === "absent") return { ...nothing, state, warnings: before };
  if (state.state !== "trusted") return { ...nothing, state, warnings: [...before, ignored(state)] };
  const yaml = await parseSettings(state.file, state.bytes);
  if (!yaml.ok) return { ...nothing, state, faults: yaml.error };
  const layer = readSettings(root, yaml.value);
  const refused = refusedKeys(layer, yaml.value);
  return { ...layer, state, warnings: [...layer.warnings, ...refused], origin: fileOrigin("project file", yaml.value) };
}

/**
 * Keys that only the user may set: a project could otherwise make the agent run programs, send keys or leave its
 * workspace.
 */
export function refusedKeys(layer: Layer, yaml: Pick<SettingsFile, "file" | "place">): readonly Problem[] {
  const keys = layer.original.filter((key) => operatorKeys.has(key.split(".")[0] ?? key));
  const message = "refused: a project file cannot set it";
  return keys.map((key) => {
    const path = parseKey(key);
    const place = path.ok ? yaml.place(path.value) : undefined;
    return Object.assign({ file: yaml.file, key, message }, place);
  });
}

function ignored({ file, state, why }: Extract<ProjectFile, { state: "untrusted" | "changed" }>): Problem {
  if (why !== undefined) return { file, message: `${why}; it is not read` };
  const message =
    state === "changed" ? "has changed since you trusted it and is ignored" : "is ignored until you trust it";
  return { file, message, hint: "`hermes trust` shows and accepts it" };
}

function fileOrigin(from: "user file" | "project file", yaml: SettingsFile): OriginOf {
  return (key) => {
    const path = parseKey(key);
    const line = path.ok ? yaml.place(path.value)?.line : undefined;
    return line === undefined ? { from, file: yaml.file } : { from, file: yaml.file, line };
  };
}

function flagLayer(
  root: Section,
  overrides: Readonly<Record<string, unknown>>,
  hide: (text: string) => string,
): Pick<Layer, "values" | "faults"> {
  const values = new Map<string, LayerValue>();
  const faults: Problem[] = [];
  for (const [key, raw] of Object.entries(overrides)) {
    if (raw === undefined) continue;
    const path = meantKey(root, key);
    const leaf = path.ok ? nodeAt(root, path.value) : undefined;
    if (!path.ok || leaf?.kind !== "leaf") {
      faults.push({ key, message: "is not an existing setting that a flag can set" });
      continue;
    }
    const verdict = checkValue(leaf.rule, typeof raw === "string" ? coerceText(leaf, raw) : raw);
    if (verdict.ok) values.set(keyText(path.value), { path: path.value, leaf, value: verdict.value });
    else faults.push({ key, message: badValue(leaf, path.value, raw, verdict.error, hide) });
  }
  return { values, faults };
}

/** The key that a plain value of a section sets. */
function meantKey(root: Section, key: string): ReturnType<typeof parseKey> {
  const path = parseKey(key);
  const node = path.ok ? nodeAt(root, path.value) : undefined;
  return path.ok && node?.kind === "section" && node.shorthand !== undefined
    ? ok([...path.value, node.shorthand])
    : path;
}

/**
 * Expands `${NAME}` and `${env:NAME}`. Unknown names stay unchanged. Sections in `literal` are not expanded, because
 * safety rules are literal.
 */
function expand(tree: JsonObject, env: Env, literal: (name: string) => boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [
      name,
      literal(name) ? value : expandVariables(value, (variable) => env[variable]),
    ]),
  );
}
