import { words } from "../../../base/text/words.ts";
import { readOptions } from "../programs/options.ts";
import { programName } from "../programs/program-name.ts";
import { hole } from "../shell/field.ts";
import { contentOf, type SimpleCommand } from "../shell/simple-command.ts";
import type { WrittenFile } from "../shell/written-contents.ts";
import { pureOutput } from "./pure-output.ts";

/**
 * Returns the files that a command writes, with their content: its output, its input, or the content of another file.
 */
export function writtenFiles(ran: SimpleCommand): readonly WrittenFile[] {
  const first = ran.argv[0]?.text ?? "";
  const bare = first.slice(first.lastIndexOf("/") + 1);
  if (ran.redirections.length === 0 && !writers.has(bare)) return none;
  const name = programName(ran.argv[0]) ?? "";
  const text = () => (name === ":" ? "" : pureOutput({ ...ran, redirections: [] }));
  const redirected = ran.redirections.flatMap(({ how, descriptor, target }): readonly WrittenFile[] => {
    if (how === "read" || (descriptor ?? 1) !== 1) return [];
    return [{ path: target.text, isAdded: how === "append", text }];
  });
  return writers.has(name) ? [...redirected, ...writtenBy(ran, name)] : redirected;
}

const none: readonly WrittenFile[] = [];

const writers: ReadonlySet<string> = new Set(words("gcp gmv tee dd cp mv ln install rsync link mkfifo mknod"));

function writtenBy(ran: SimpleCommand, name: string): readonly WrittenFile[] {
  const args = ran.argv.slice(1);
  if (name === "dd") {
    const target = args.find(({ text }) => text.startsWith("of="))?.text.slice(3);
    const isInput = !args.some(({ text }) => text.startsWith("if="));
    return target === undefined || !isInput ? [] : [{ path: target, isAdded: false, text: () => ran.stdin.text }];
  }
  const { operands, value, has } = readOptions(args, { short: "tSogm", long: ["target-directory", "suffix", "mode"] });
  // Any program may write to a named pipe.
  if (name === "mkfifo" || name === "mknod")
    return operands
      .slice(0, name === "mknod" ? 1 : undefined)
      .map(({ text: path }) => ({ path, isAdded: false, text: () => hole }));
  if (name === "tee")
    return operands.map(({ text: path }) => ({ path, isAdded: has("a", "append"), text: () => ran.stdin.text }));
  const folder = value("t", "target-directory");
  const target = folder ?? operands.at(-1);
  return (target ? operands.slice(0, folder ? undefined : -1) : []).flatMap((source): readonly WrittenFile[] => {
    const content = contentOf(ran, source);
    if (!target || content === undefined) return [];
    const inside = `${target.text}/${source.text.split("/").at(-1) ?? hole}`;
    return [target.text, inside].map((path) => ({ path, isAdded: false, text: () => content }));
  });
}
