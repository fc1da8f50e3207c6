import { pureOutput } from "../output/pure-output.ts";
import { readOptions } from "../programs/options.ts";
import { programName } from "../programs/program-name.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { shellNames } from "../wrappers/shells.ts";
import type { CarriedCommand } from "./carried-commands.ts";
import { resolvePathText } from "./path-rules.ts";
import { fileThatRuns } from "./script-rules.ts";

/** Shell scripts that these commands write and then run, with their text if it is known. */
export function writtenScripts(commands: readonly SimpleCommand[]): readonly CarriedCommand[] {
  if (!commands.some(({ redirections, argv: [name] }) => redirections.length > 0 || name?.text === "tee")) return [];
  const files = new Map<string, string | undefined>();
  const scripts: CarriedCommand[] = [];
  for (const ran of commands) {
    const name = programName(ran.argv[0]) ?? "";
    const file = files.size > 0 ? (name === "make" ? makefileOf(ran) : fileThatRuns(ran, name)) : undefined;
    const whole = file && resolvePathText(file.text, ran.cwd);
    // An unknown file content becomes a hole.
    const text = whole !== undefined && files.has(whole) ? (files.get(whole) ?? hole) : undefined;
    if (text !== undefined && name === "make" && scripts.length < maxScripts)
      scripts.push({
        ran,
        text: text === hole ? hole : `make -f - <<'END_OF_FILE'\n${text}\nEND_OF_FILE\n`,
        isGuess: false,
      });
    const isShell = shellNames.has(name) || name === "source" || name === "." || file === ran.argv[0];
    if (text !== undefined && isShell && scripts.length < maxScripts) scripts.push({ ran, text, isGuess: false });
    remember(ran, name, files);
  }
  return scripts;
}

const maxScripts = 20;

function makefileOf({ argv }: SimpleCommand): Field {
  const read = readOptions(argv.slice(1), { short: "fCIjlo", long: ["file", "makefile", "directory"] });
  const folder = read.value("C", "directory");
  return read.value("f", "file", "makefile") ?? knownField(folder ? `${folder.text}/Makefile` : "Makefile");
}

function remember(ran: SimpleCommand, name: string, files: Map<string, string | undefined>): void {
  if (ran.redirections.length === 0 && name !== "tee" && (files.size === 0 || (name !== "mv" && name !== "cp"))) return;
  const [from, to] = name === "mv" || name === "cp" ? readOptions(ran.argv.slice(1)).operands : [];
  const source = from && resolvePathText(from.text, ran.cwd);
  if (to && source !== undefined && files.has(source)) files.set(resolvePathText(to.text, ran.cwd), files.get(source));
  const targets = [
    ...ran.redirections.filter(({ how, descriptor }) => how !== "read" && (descriptor ?? 1) === 1),
    ...(name === "tee" ? readOptions(ran.argv.slice(1)).operands.map((target) => ({ how: "write", target })) : []),
  ];
  if (targets.length === 0) return;
  const text = pureOutput({ ...ran, redirections: [] });
  for (const { how, target } of targets) {
    const path = resolvePathText(target.text, ran.cwd);
    const before = how === "append" ? files.get(path) : "";
    files.set(path, text === undefined || before === undefined ? undefined : before + text);
  }
}
