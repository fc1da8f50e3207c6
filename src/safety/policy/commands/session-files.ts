import { posix } from "node:path";

import { isInside } from "../../../base/files/path.ts";
import { quoteForShell } from "../../../base/text/shell-quote.ts";
import type { FileSystem } from "../../../contracts/environment/environment.ts";
import { interpreterNames } from "../../command/interpreters/interpreters.ts";
import type { CommandFinding } from "../../command/judge-command.ts";
import { programName } from "../../command/programs/program-name.ts";
import { hole, isKnown } from "../../command/shell/field.ts";
import type { StartState } from "../../command/shell/shell-state.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import type { Parser } from "../../command/shell/walk.ts";
import { loadedFiles } from "../../command/wrappers/loaded-files.ts";
import { shellNames } from "../../command/wrappers/shells.ts";
import { AnalysedCommand } from "./analysed-command.ts";

export interface SessionFiles {
  readonly files: Pick<FileSystem, "stat" | "read" | "realPath">;
  /**
   * The start time of the session: files that changed later count as written by it. Undefined if there is no session.
   */
  readonly startedAt: number | undefined;
}

/**
 * Analyses a command together with the files that it runs or loads and that changed during the session: their content
 * is treated like inline code. Other files are considered the user's own. `earlier`: an analysis to reuse if nothing
 * changed.
 */
export async function analyseInSession(
  command: string,
  start: StartState,
  { files, startedAt }: SessionFiles,
  signal: AbortSignal,
  { parse, earlier }: { readonly parse?: Parser | undefined; readonly earlier?: AnalysedCommand | undefined } = {},
): Promise<AnalysedCommand> {
  const plain = earlier?.plain.isFor(command, start) ? earlier.plain : new AnalysedCommand(command, start, parse);
  const contents = new Map<string, string>();
  const judged = () =>
    earlier?.hasContents(plain, contents) ? earlier : new AnalysedCommand(command, start, parse, { plain, contents });
  for (const path of filesToEmpty(plain.judgement.findings))
    if (await isEmptyOrMissing(path, files, signal)) contents.set(path, "");
  let analysed = contents.size > 0 ? judged() : plain;
  if (startedAt === undefined) return analysed;
  const checked = new Set<string>();
  for (let round = 0; round < maxRounds; round++) {
    const before = contents.size;
    for (const { path, places } of filesToLoad(analysed.judgement.commands, start.workspace)) {
      if (checked.has(path) || checked.size >= maxFiles) continue;
      checked.add(path);
      for (const place of places) {
        const content = await changedContent(place, { files, startedAt }, signal);
        if (content !== undefined) contents.set(path, content);
        if (content !== undefined) break;
      }
    }
    if (contents.size === before) break;
    analysed = judged();
  }
  return analysed;
}

/** Returns the files that a redirection would empty. If they have no content, nothing is lost. */
function filesToEmpty(findings: readonly CommandFinding[]): readonly string[] {
  return findings
    .flatMap(({ rule, command: ran }) => (rule === "truncate" && ran ? [ran] : []))
    .flatMap(({ redirections, cwd }) =>
      redirections.flatMap(({ how, target }) =>
        how === "write" && isKnown(target) && !cwd.includes(hole) ? [posix.resolve(cwd, target.text)] : [],
      ),
    )
    .slice(0, maxFiles);
}

async function isEmptyOrMissing(path: string, files: SessionFiles["files"], signal: AbortSignal): Promise<boolean> {
  const stat = await files.stat(path, signal);
  return stat.ok ? stat.value.kind === "file" && stat.value.bytes === 0 : stat.error.kind === "missing";
}

/** The maximum depth of scripts that run scripts. */
const maxRounds = 3;
const maxFiles = 24;
const maxBytes = 128_000;

interface FileToLoad {
  readonly path: string;
  /** The possible paths of the file, because programs look for some files in parent folders. */
  readonly places: readonly string[];
}

function filesToLoad(commands: readonly SimpleCommand[], workspace: string | undefined): readonly FileToLoad[] {
  return commands.flatMap((ran) => {
    const name = programName(ran.argv[0]) ?? "";
    if (ran.cwd.includes(hole)) return [];
    const whole = (path: string) => posix.resolve(ran.cwd, path);
    const own = loadedFiles(ran, name).map(({ path }) => {
      const isBelow = workspace !== undefined && ran.cwd !== workspace && isInside(workspace, ran.cwd);
      return { path: whole(path), places: [whole(path), ...(isBelow ? [posix.resolve(workspace, path)] : [])] };
    });
    const isRunner = shellNames.has(name) || interpreterNames.has(name) || readsCode.has(name);
    const [program, ...args] = ran.argv;
    const read = ran.redirections.flatMap(({ how, target }) => (how === "read" ? [target] : []));
    const operands = dataReaders.has(name)
      ? args.filter((_, index) => /^-(?:\w*[fEi]|-file|-exec|-include)$/u.test(args[index - 1]?.text ?? ""))
      : args.filter(({ text }) => !text.startsWith("-")).slice(0, maxOperands);
    const words = [...(program?.text.includes("/") ? [program] : []), ...(isRunner ? [...operands, ...read] : [])];
    const isModule = name === "python" && args[0]?.text === "-m" && args[1];
    const module = isModule ? [`${isModule.text.replaceAll(".", "/")}.py`, `${isModule.text}/__main__.py`] : [];
    const named = words.flatMap((word) =>
      isKnown(word) && !word.isPattern && /^[^-]/u.test(word.text) && word.text.length < maxPathChars
        ? [word.text]
        : [],
    );
    return [...own, ...[...named, ...module].map((path) => ({ path: whole(path), places: [whole(path)] }))];
  });
}

const maxPathChars = 1_000;
/** The script is among the first operands. */
const maxOperands = 4;

const readsCode: ReadonlySet<string> = new Set(["source", ".", "make"]);

/** Programs whose files are data, except those in certain options. */
const dataReaders: ReadonlySet<string> = new Set(["sed", "ssed", "awk", "jq"]);

/** A link with another name can point to a program. */
const isProgram = /^\/(?:usr\/)?(?:local\/)?s?bin\/|\/hermes(?:\.[cm]?[jt]s)?$/u;

/**
 * Returns the text of a file that changed during the session, or a hole if it is too long. Undefined if the file did
 * not change, or is not a file.
 */
async function changedContent(
  path: string,
  { files, startedAt }: { readonly files: SessionFiles["files"]; readonly startedAt: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const real = await files.realPath(path, signal);
  if (real.ok && real.value !== path && isProgram.test(real.value) && !isProgram.test(path))
    return `exec ${quoteForShell(posix.basename(real.value))} "$@"\n`;
  const stat = real.ok ? await files.stat(real.value, signal) : undefined;
  if (!real.ok || !stat?.ok || stat.value.kind !== "file" || stat.value.changedAt < startedAt) return undefined;
  if (stat.value.bytes > maxBytes) return hole;
  const bytes = await files.read(real.value, signal);
  return bytes.ok ? Buffer.from(bytes.value).toString() : hole;
}
