import { dirname, join, normalize } from "node:path/posix";

/** The architecture rules that a test can check, as functions from a source file to its violations. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** The layers from the lowest to the highest. A file may import its own part and every layer below it. */
const layers: readonly (readonly string[])[] = [
  ["base"],
  ["contracts"],
  [
    "kernel",
    "tools",
    "providers",
    "environments",
    "safety",
    "store",
    "sessions",
    "learnings",
    "goals",
    "memory",
    "skills",
    "checkpoints",
    "agents",
    "code",
    "mcp",
    "web",
    "browser",
    "media",
    "speech",
    "plugins",
    "platforms",
    "schedule",
    "installation",
    "backup",
    "config",
  ],
  ["runtime"],
  ["operations"],
  ["commands"],
  ["hosts"],
  ["bin"],
];

/** Parts that a host may use only through the runtime. */
const hiddenFromHosts: readonly string[] = ["kernel", "tools", "safety", "environments", "store"];

/**
 * Imports that a host may have in addition to operations, slash commands, contracts and base: the entries of the
 * runtime.
 */
const hostEntries: readonly string[] = [
  "src/runtime/builtins.ts",
  "src/runtime/calls/create-toolbox.ts",
  "src/runtime/calls/toolbox.ts",
  "src/runtime/contributions.ts",
  "src/runtime/create-runtime.ts",
  "src/runtime/mcp/serve-clients.ts",
  "src/runtime/services.ts",
];

/**
 * The package entries list the exports for plugin authors and embedding programs. They are outside the layers and may
 * import everything that they export.
 */
const entries: readonly string[] = ["src/index.ts", "src/plugin.ts"];

/** The folder or file in which each third-party package may be imported. */
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  "@cfworker/json-schema": ["src/contracts/tool/json-input.ts"],
  "@modelcontextprotocol/server": ["src/mcp/serve/"],
  "@lydell/node-pty": ["src/environments/pty/"],
  "@modelcontextprotocol/client": ["src/mcp/client/", "src/mcp/oauth/"],
  "@vscode/ripgrep": ["src/tools/files/search/"],
  "@xterm/headless": ["src/environments/pty/"],
  "gpt-tokenizer": ["src/providers/facts/tokenizer.ts"],
  htmlparser2: ["src/web/"],
  modal: ["src/environments/modal/"],
  saxes: ["src/tools/files/documents/", "src/web/read/"],
  sharp: ["src/media/images/"],
  unpdf: ["src/tools/files/documents/"],
  "smol-toml": ["src/mcp/entries/read-toml.ts", "src/tools/files/syntax/"],
  yaml: ["src/config/", "src/plugins/find/", "src/skills/", "src/tools/files/syntax/"],
  unbash: ["src/safety/command/", "src/tools/terminal/"],
  zod: ["src/config/", "src/tools/", "src/plugin.ts"],
};

export interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

export function importsOf({ text }: Source): readonly Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const matches: Import[] = [];
  for (const match of code.matchAll(/^(import|export)\s+(type\s+)?[^;"']*?from\s+["']([^"']+)["']/gm)) {
    matches.push({ from: match[3] ?? "", typeOnly: match[2] !== undefined });
  }
  for (const match of code.matchAll(/^import\s+["']([^"']+)["']/gm))
    matches.push({ from: match[1] ?? "", typeOnly: false });
  for (const match of code.matchAll(/\bimport\(\s*["']([^"']+)["']/g))
    matches.push({ from: match[1] ?? "", typeOnly: false });
  return matches;
}

export function layerFaults(source: Source): readonly string[] {
  if (entries.includes(source.file)) return [];
  const part = partOf(source.file);
  const level = levelOf(part);
  if (level < 0) return [`${source.file}: "${part}" is not a layer`];
  return importsOf(source).flatMap(({ from }) => {
    if (!from.startsWith(".")) return [];
    const target = normalize(join(dirname(source.file), from));
    if (!target.startsWith("src/"))
      return target === "package.json" || /^data\/.*\.json$/u.test(target)
        ? []
        : [`${source.file} imports ${target}, which is outside src`];
    const other = partOf(target);
    if (other === part) return [];
    if (part === "hosts" && hiddenFromHosts.includes(other))
      return [`${source.file} reaches past the runtime to ${target}`];
    return levelOf(other) < level ? [] : [`${source.file} imports ${target}, which is not below it`];
  });
}

/** A host and a slash command reach services through operations. */
export function serviceFaults(source: Source): readonly string[] {
  const part = partOf(source.file);
  if (part !== "hosts" && part !== "commands") return [];
  const allowed = ["base", "contracts", "operations", "commands", part];
  return importsOf(source).flatMap(({ from }) => {
    const target = normalize(join(dirname(source.file), from));
    if (!from.startsWith(".") || allowed.includes(partOf(target))) return [];
    if (part === "hosts" && hostEntries.includes(target)) return [];
    return [`${source.file} imports ${target} in place of an operation`];
  });
}

/** A runtime file that imports neither a peer nor another runtime file wires nothing. */
export function wiringFaults(source: Source): readonly string[] {
  if (partOf(source.file) !== "runtime") return [];
  const isWiring = importsOf(source).some(({ from }) => {
    const part = from.startsWith(".") ? partOf(normalize(join(dirname(source.file), from))) : "";
    return levelOf(part) > levelOf("contracts");
  });
  return isWiring ? [] : [`${source.file} imports no peer and no file of the runtime: it belongs to a peer`];
}

/** Code outside `safety` may import only the files directly in `src/safety`, never those in its folders. */
export function faceFaults(source: Source): readonly string[] {
  if (partOf(source.file) === "safety") return [];
  return importsOf(source).flatMap(({ from }) => {
    const target = normalize(join(dirname(source.file), from));
    return /^src\/safety\/.+\//u.test(target) ? [`${source.file} reaches into safety: ${target}`] : [];
  });
}

/**
 * Type-only imports count too: files that need each other's types form one unit, even though the compiler erases the
 * imports.
 */
export function importCycles(sources: readonly Source[]): readonly string[] {
  const graph = new Map(
    sources.map((source) => [
      source.file,
      importsOf(source)
        .filter(({ from }) => from.startsWith("."))
        .map(({ from }) => normalize(join(dirname(source.file), from))),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const index = trail.indexOf(file);
    if (index >= 0) {
      cycles.push([...trail.slice(index), file].join(" → "));
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

/** Only hosts know the current user; everything below takes the principal and the user's name as parameters. */
export function identityFaults({ file, text }: Source): readonly string[] {
  if (file.startsWith("src/hosts/") || file === "src/base/this-user.ts") return [];
  const names = new Set(withoutComments(text).match(/\b(?:localPrincipal|userName)\b/gu));
  return Array.from(names, (name) => `${file}: ${name} belongs to the hosts`);
}

/**
 * A wrapper must list the members that it passes on: spreading loses those of the prototype, and getters lose their
 * object.
 */
export function prototypeFaults({ file, text }: Source): readonly string[] {
  return /\bObject\.create\((?!null\))/u.test(withoutComments(text)) ? [`${file}: Object.create`] : [];
}

/**
 * Exported names that several files declare: a name must have one meaning. Tables that a loader finds by an agreed name
 * are exempt.
 */
export function sharedNames(sources: readonly Source[]): readonly string[] {
  const files = new Map<string, Set<string>>();
  for (const { file, text } of sources.filter((source) => source.file !== zodNames))
    for (const [, name = ""] of text.matchAll(exportedName)) files.set(name, (files.get(name) ?? new Set()).add(file));
  return [...files]
    .filter(([name, declaring]) => declaring.size > 1 && !agreedNames.has(name))
    .map(([name, declaring]) => `${name}: ${[...declaring].join(", ")}`);
}

const exportedName =
  /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|interface|type|enum) (\w+)/gmu;
/** This file has the same names as zod, because the build replaces zod with it. */
const zodNames = "src/contracts/tool/plain-input.ts";
const agreedNames: ReadonlySet<string> = new Set(["commands", "operations"]);

export function mutableState({ file, text }: Source): readonly string[] {
  const faults: string[] = [];
  for (const match of text.matchAll(/^(?:export\s+)?(?:let|var)\s+(\w+)/gm))
    faults.push(`${file}: module-level let ${match[1]}`);
  for (const match of text.matchAll(
    /^(?:export\s+)?const\s+(\w+)[^=\n]*=\s*(?:new\s+(?:Map|Set|WeakMap|WeakSet|Array)\b|\[|\{)/gm,
  )) {
    const name = match[1] ?? "";
    const written = new RegExp(
      `(?<![\\w.])${name}(?:\\.(?:set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill)\\(|\\[[^\\]]+\\]\\s*=[^=]|\\.\\w+\\s*=[^=])`,
    );
    if (written.test(text)) faults.push(`${file}: the module-level ${name} is written`);
  }
  return faults;
}

export function packageFaults(source: Source): readonly string[] {
  return importsOf(source).flatMap(({ from, typeOnly }) => {
    if (from.startsWith(".") || from.startsWith("node:")) return [];
    const name = from.split("/", from.startsWith("@") ? 2 : 1).join("/");
    const homes = packageHomes[name];
    if (homes === undefined) return [`${source.file}: ${name} has no home`];
    return typeOnly || homes.some((home) => source.file.startsWith(home))
      ? []
      : [`${source.file}: ${name} lives in ${homes.join(", ")}`];
  });
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

/** Files that may read the real clock: the clock's own test, and the comparison of two runs. */
const clockReaders: readonly string[] = ["src/base/clock.test.ts", "test/support/growth.ts"];

/** Positions in a test where a wall-clock time is read or compared: such a test fails on a busy machine. */
export function clockReadings({ file, text }: Source): readonly string[] {
  if (clockReaders.includes(file)) return [];
  return text.split("\n").flatMap((line, index) => {
    const isReading =
      /\bperformance\.now\(|\bhrtime\b|^(?!.*while \().*[cC]puUsage\(|\bDate\.now\(\) - \w*(start|began|from|before)/.test(
        line,
      );
    const isElapsed = /\b(systemClock|clock)\.elapsed\(\) - |- (systemClock|clock)\.elapsed\(\)/.test(line);
    const isCompared = /assert.*\b\w*(duration|waited|took|elapsed)_?(ms)?\b[^,;]* [<>]=? [1-9]/i.test(line);
    return isReading || isElapsed || isCompared ? [`${file}:${index + 1}: ${line.trim()}`] : [];
  });
}

function partOf(file: string): string {
  return file.split("/")[1] ?? "";
}

function levelOf(part: string): number {
  return layers.findIndex((layer) => layer.includes(part));
}
