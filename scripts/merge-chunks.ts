// Merges chunks that are always loaded together: loading a file costs Node about as much as a hundred lines of code,
// and a split bundle has one file for every combination of parts that share code.
import { createHash } from "node:crypto";
import { basename, posix, relative } from "node:path";

import { build, type Metafile, type OutputFile, type Plugin, transform } from "esbuild";

import type { GroupFacts } from "../src/bin/load-group.ts";

/**
 * Features that Node supports although esbuild's tables say otherwise: a pattern written as `new RegExp` is parsed on
 * each use, and parsing Unicode properties takes milliseconds.
 */
export const supported = { "regexp-unicode-property-escapes": true };

export interface ChunkGroup {
  readonly name: string;
  /** Source files that are loaded on demand, with all their imports that are not in an earlier group. */
  readonly entries: readonly string[];
  /** Undefined: the group stays a module that Node loads. */
  readonly asScript?: true;
}

interface Chunk {
  /** Path relative to the bundle folder. */
  readonly path: string;
  readonly text: string;
  readonly exports: readonly string[];
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly source: string | undefined;
  /** The source files whose code it contains. */
  readonly modules: readonly string[];
}

export interface MergedChunks {
  readonly files: readonly { readonly path: string; readonly contents: Uint8Array | string }[];
  /** The source files whose code is in each group and in each other chunk. */
  readonly modules: Readonly<Record<string, readonly string[]>>;
}

interface Group {
  readonly path: string;
  readonly isScript: boolean;
  readonly chunks: readonly Chunk[];
  /** The name in the group's file of a chunk's export. */
  nameOf(chunk: Chunk, exported: string): string;
}

/**
 * Merges the chunks of each group of a split bundle into one file. Paths are relative to `dist`. `loader`: the path of
 * the module that loads groups as scripts.
 */
export async function mergeChunks(
  { outputFiles, metafile }: { readonly outputFiles: readonly OutputFile[]; readonly metafile: Metafile },
  dist: string,
  requested: readonly ChunkGroup[],
  loader: string,
): Promise<MergedChunks> {
  const chunks = readChunks(outputFiles, metafile, dist);
  const groups: Group[] = [];
  const groupOf = new Map<string, Group>();
  const entriesOf = ({ entries }: ChunkGroup) => entries.map((entry) => chunkOf(entry, chunks));
  const shared = smallShared(requested.map((each) => closure(entriesOf(each), chunks, groupOf)));
  for (const each of requested) {
    // Every script requires the first one.
    const isFirstScript = each.asScript && !groups.some(({ isScript }) => isScript);
    const members = closure([...entriesOf(each), ...(isFirstScript ? shared : [])], chunks, groupOf);
    const group = makeGroup(each.name, each.asScript ?? false, withFacades(members, chunks, groupOf));
    groups.push(group);
    for (const chunk of group.chunks) groupOf.set(chunk.path, group);
  }
  const alone = Map.groupBy(
    [...chunks.keys()].filter((path) => !groupOf.has(path)),
    (path) => posix.dirname(path),
  );
  const [modules, scripts] = [groups.filter(({ isScript }) => !isScript), groups.filter(({ isScript }) => isScript)];
  const written = (group: Group) => rewrite([`group:${group.path}`], "chunks", { chunks, groupOf }, dist, group);
  const built = await Promise.all([
    ...modules.map(written),
    Promise.all(
      scripts.map(async (group) => Promise.all((await written(group)).map((file) => asScript(file, doorsIn(groups))))),
    ).then((each) => each.flat().flatMap((script, index, all) => scriptFiles(script, all.slice(index + 1), loader))),
    ...Array.from(alone, ([folder, paths]) =>
      rewrite(
        paths.map((path) => `chunk:${path}`),
        folder,
        { chunks, groupOf },
        dist,
      ),
    ),
  ]);
  // Parts whose name occurs twice in their group are exported through a separate file.
  const doors = groups.flatMap((group) =>
    group.chunks
      .filter((chunk) => chunk.source !== undefined && !isPlain(chunk, group))
      .map((chunk) => ({ path: chunk.path, contents: door(chunk, group, `./${basename(group.path)}`) })),
  );
  const modulesOf = (members: readonly (Chunk | undefined)[]) => members.flatMap((chunk) => chunk?.modules ?? []);
  return {
    files: [...built.flat(), ...doors],
    modules: Object.fromEntries([
      ...groups.map((group) => [group.path, modulesOf(group.chunks)] as const),
      ...[...alone.values()].flat().map((path) => [path, modulesOf([chunks.get(path)])] as const),
    ]),
  };
}

function readChunks(files: readonly OutputFile[], { outputs }: Metafile, dist: string): ReadonlyMap<string, Chunk> {
  const facts = new Map(
    Object.entries(outputs).map(([path, output]) => [posix.relative(basename(dist), path), output]),
  );
  return new Map(
    files.map((file) => {
      const path = relative(dist, file.path);
      const { exports = [], imports = [], entryPoint: source, inputs = {} } = facts.get(path) ?? {};
      const local = imports
        .filter(({ external }) => external !== true)
        .map((each) => ({ path: posix.relative(basename(dist), each.path), kind: each.kind }));
      return [path, { path, text: file.text, exports, imports: local, source, modules: Object.keys(inputs) }];
    }),
  );
}

function chunkOf(source: string, chunks: ReadonlyMap<string, Chunk>): Chunk {
  const match = [...chunks.values()].find((chunk) => chunk.source === source);
  if (!match)
    throw new Error(`${source} is never loaded on demand: remove it from the chunk groups in scripts/build.ts`);
  return match;
}

/** All chunks that the entries import, dependencies first. */
function closure(
  entries: readonly Chunk[],
  chunks: ReadonlyMap<string, Chunk>,
  excluded: ReadonlyMap<string, unknown>,
): readonly Chunk[] {
  const reached = new Set<Chunk>();
  const visit = (chunk: Chunk | undefined): void => {
    if (!chunk || reached.has(chunk) || excluded.has(chunk.path)) return;
    for (const { path, kind } of chunk.imports) if (kind === "import-statement") visit(chunks.get(path));
    reached.add(chunk);
  };
  entries.forEach(visit);
  // Public entry points keep their paths.
  return [...reached].filter(({ path }) => posix.dirname(path) !== ".");
}

/** Small chunks without imports that several groups need, so that no group is loaded only for one of them. */
function smallShared(closures: readonly (readonly Chunk[])[]): readonly Chunk[] {
  return [...Map.groupBy(closures.flat(), (chunk) => chunk)].flatMap(([chunk, { length: groups }]) =>
    groups > 1 && chunk.imports.length === 0 && chunk.text.length <= maxSharedLength ? [chunk] : [],
  );
}

const maxSharedLength = 1000;

/** Adds the facades of chunks in this group or an earlier one: as files, Node's slow loader would load them. */
function withFacades(
  members: readonly Chunk[],
  chunks: ReadonlyMap<string, Chunk>,
  earlier: ReadonlyMap<string, unknown>,
): readonly Chunk[] {
  const paths = new Set(members.map(({ path }) => path));
  const facades = [...chunks.values()].filter(
    // A facade contains no code and only gives exports of other chunks.
    ({ path, source, modules, imports }) =>
      modules.length === 0 &&
      source !== undefined &&
      posix.dirname(path) !== "." &&
      !earlier.has(path) &&
      !paths.has(path) &&
      imports.every((each) => earlier.has(each.path) || paths.has(each.path)),
  );
  return [...members, ...facades];
}

function makeGroup(name: string, isScript: boolean, chunks: readonly Chunk[]): Group {
  const counts = new Map<string, number>();
  for (const each of chunks.flatMap((chunk) => chunk.exports)) counts.set(each, (counts.get(each) ?? 0) + 1);
  const digest = createHash("sha256").update(chunks.map(({ path }) => path).join("\n"));
  return {
    path: `chunks/${name}-${digest.digest("hex").slice(0, 8).toUpperCase()}.js`,
    isScript,
    chunks,
    nameOf: (chunk, exported) => ((counts.get(exported) ?? 0) > 1 ? `${exported}$${chunks.indexOf(chunk)}` : exported),
  };
}

function isPlain(chunk: Chunk, group: Group): boolean {
  return chunk.exports.every((name) => group.nameOf(chunk, name) === name);
}

/** Export clauses that give a chunk's exports under their names in the group's file. */
function door(chunk: Chunk, group: Group, from: string): string {
  return passOn(
    chunk.exports.map((name) => `${group.nameOf(chunk, name)} as ${name}`),
    from,
  );
}

/** The exports of a group, from its chunks. */
function exportsOf(group: Group): string {
  const each = (chunk: Chunk) =>
    passOn(
      chunk.exports.map((name) => `${name} as ${group.nameOf(chunk, name)}`),
      `chunk:${chunk.path}`,
    );
  return group.chunks.map(each).join("");
}

function passOn(names: readonly string[], from: string): string {
  return `${names.length === 0 ? "import" : `export{${names.join(",")}}from`}${JSON.stringify(from)};\n`;
}

/** Parts that are exported through a separate file, by its name: the file of their group, and their names in it. */
function doorsIn(groups: readonly Group[]): ReadonlyMap<string, readonly [string, Readonly<Record<string, string>>]> {
  return new Map(
    groups.flatMap((group) =>
      group.chunks
        .filter((chunk) => chunk.source !== undefined && !isPlain(chunk, group))
        .map((chunk) => {
          const names = Object.fromEntries(chunk.exports.map((name) => [name, group.nameOf(chunk, name)]));
          return [`./${basename(chunk.path)}`, [`./${basename(group.path)}`, names]] as const;
        }),
    ),
  );
}

/** Prefix of the name of a module that a script loads on demand. */
const onDemand = "on-demand:";

/** A group as a script without imports, with the data that its loader needs. */
interface GroupScript {
  readonly path: string;
  readonly text: string;
  readonly facts: GroupFacts;
  readonly exports: readonly string[];
}

async function asScript(
  { path, contents }: { readonly path: string; readonly contents: Uint8Array },
  doors: ReturnType<typeof doorsIn>,
): Promise<GroupScript> {
  const { text: module, exports } = withoutExports(Buffer.from(contents).toString("utf8"));
  // One object of values: esbuild would write a getter for each export, which takes milliseconds in a large group.
  const values = exports.map(([name, value]) => `${name}:${value}`).join(",");
  const { code } = await transform(`${module}module$.exports={__esModule:!0,${values}};`, {
    format: "cjs",
    platform: "node",
    target: "node24",
    supported,
    minifySyntax: true,
    minifyWhitespace: true,
    define: { "import.meta": "meta$" },
  });
  const body = inAscii(code.replaceAll(`import("${onDemand}`, 'import$("'), path);
  if (body.includes(onDemand)) throw new Error(`${path}: cannot parse an import on demand`);
  const unknown = /(?<![\w$.])import\((?!")[^)]*/u.exec(body)?.[0];
  if (unknown !== undefined)
    throw new Error(
      `${path}: \`${unknown}\` cannot be part of a script; put it into a module that is loaded on demand`,
    );
  const text = `(function(require,module$,exports$,meta$,import$){"use strict";${body}\n})`;
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const parts = new Set(Array.from(body.matchAll(/(?<![\w$.])require\("([^"]+)"\)/gu), ([, name = ""]) => name));
  const imported = new Set(Array.from(body.matchAll(/(?<![\w$.])import\$\("([^"]+)"\)/gu), ([, name = ""]) => name));
  const usedDoors = Object.fromEntries([...doors].filter(([name]) => imported.has(name)));
  return { path, text, facts: [digest, [...parts], usedDoors], exports: exports.map(([name]) => name) };
}

/**
 * Returns the file of the script and the module that runs it and re-exports its exports. The exports must not change
 * after loading. `later`: groups that may be loaded on demand.
 */
function scriptFiles(
  { path, text, facts, exports }: GroupScript,
  later: readonly GroupScript[],
  loader: string,
): readonly { readonly path: string; readonly contents: string }[] {
  const [, parts] = facts;
  const groups = [{ path, facts }, ...later].map((each) => [`./${basename(each.path)}`, each.facts]);
  const files = parts.filter((name) => name.startsWith("."));
  const plain = exports.filter((name) => name !== "default");
  const module = [
    `import{loadGroup}from${JSON.stringify(`./${posix.relative(posix.dirname(path), loader)}`)};`,
    ...files.map((name, index) => `import*as part${index}$ from${JSON.stringify(name)};`),
    `const group$=loadGroup(import.meta,${JSON.stringify(Object.fromEntries(groups))},name=>import(name),{${files.map((name, index) => `${JSON.stringify(name)}:part${index}$`).join(",")}});`,
    `export const $loaded=group$.loaded,{${plain.join(",")}}=group$.exports;`,
    plain.length < exports.length ? "export default group$.exports.default;" : "",
  ].join("");
  return [
    { path, contents: module },
    { path: path.replace(/\.js$/u, ".cjs"), contents: text },
  ];
}

/**
 * A single non-Latin letter makes V8 store the whole text with two bytes per character. esbuild leaves such letters in
 * patterns, where escapes can replace them.
 */
function inAscii(code: string, path: string): string {
  const raw = /String\.raw`[^`]*[^\0-\x7f]/u.exec(code)?.[0];
  if (raw !== undefined) throw new Error(`${path}: \`${raw}\` must be written with ASCII only to be part of a script`);
  // eslint-disable-next-line require-unicode-regexp -- each half of a pair by itself
  return code.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A module as esbuild writes it, with all exports at its end: the text before them, and the value of each name. */
function withoutExports(module: string): {
  readonly text: string;
  readonly exports: readonly (readonly [name: string, value: string])[];
} {
  const end = /export\{([^{}]*)\};\s*$/u.exec(module);
  const exports = (end?.[1] ?? "").split(",").flatMap((each) => {
    const [value = "", name = value] = each.trim().split(" as ");
    return value === "" ? [] : [[name, value] as const];
  });
  return { text: module.slice(0, end?.index), exports };
}

interface Whole {
  readonly chunks: ReadonlyMap<string, Chunk>;
  readonly groupOf: ReadonlyMap<string, Group>;
}

/** Rewrites the files of a folder so that they import groups instead of chunks. `own`: the group under construction. */
async function rewrite(
  entries: readonly string[],
  folder: string,
  { chunks, groupOf }: Whole,
  dist: string,
  own?: Group,
): Promise<readonly { readonly path: string; readonly contents: Uint8Array }[]> {
  const from = (path: string) => {
    const relativePath = posix.relative(folder, path);
    return relativePath.startsWith(".") ? relativePath : `./${relativePath}`;
  };
  const plugin: Plugin = {
    name: "merge-chunks",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(?:group|chunk):/ }, ({ path }) => {
        const [namespace = "", rest = ""] = path.split(":", 2);
        return { path: rest, namespace };
      });
      onResolve({ filter: /.*/, namespace: "chunk" }, ({ path, importer, kind }) => {
        const target = chunks.get(posix.join(posix.dirname(importer), path));
        const group = target && groupOf.get(target.path);
        const mark = own?.isScript && kind === "dynamic-import" ? onDemand : "";
        if (!path.startsWith(".") || !target || !group) return { path: `${mark}${path}`, external: true };
        if (kind !== "dynamic-import") return { path: target.path, namespace: group === own ? "chunk" : "door" };
        return { path: `${mark}${from(isPlain(target, group) ? group.path : target.path)}`, external: true };
      });
      onResolve({ filter: /.*/, namespace: "door" }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /.*/, namespace: "chunk" }, ({ path }) => ({ contents: chunks.get(path)?.text ?? "" }));
      onLoad({ filter: /.*/, namespace: "group" }, () => ({ contents: own ? exportsOf(own) : "" }));
      onLoad({ filter: /.*/, namespace: "door" }, ({ path }) => {
        const [chunk, group] = [chunks.get(path), groupOf.get(path)];
        return { contents: chunk && group ? door(chunk, group, from(group.path)) : "" };
      });
    },
  };
  const { outputFiles } = await build({
    entryPoints: entries.map((entry) => ({ in: entry, out: entry.replace(/^\w+:(.*)\.js$/u, "$1") })),
    outdir: dist,
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node24",
    supported,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    plugins: [plugin],
    logLevel: "warning",
  });
  return outputFiles.map(({ path, contents }) => ({ path: relative(dist, path), contents }));
}
