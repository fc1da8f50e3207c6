import { type Fact, path, rule } from "../fact.ts";
import type { Field } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { onlyPrintsArguments, deletionFacts } from "./deletion-verbs.ts";
import { readOptions } from "./options.ts";

/** The effects of a program without a table, based on the common meaning of its arguments. */
export function unknownProgram(args: readonly Field[], ran: SimpleCommand, name: string): readonly Fact[] {
  const deletions = deletionFacts(args, ran, name);
  if (onlyPrintsArguments(name) || inspecting.test(name)) return deletions;
  const { options } = readOptions(args);
  const outputs = args.flatMap((word, index): readonly Field[] => {
    const [, option = "", value] = /^--?([\w-]+)(?:=([^]+))?$/u.exec(word.text) ?? [];
    if (!outputOption.test(option)) return [];
    return value === undefined ? args.slice(index + 1, index + 2) : [{ ...word, text: value }];
  });
  const operands = args.filter(({ text }) => !text.startsWith("-"));
  const devices = args.filter(({ text }) => blockDevice.test(text));
  const code = args.find(
    ({ text }, index) => codeOption.test(args[index - 1]?.text ?? "") && /[("'`]/u.test(text) && acts.test(text),
  );
  return [
    ...deletions,
    ...outputs.filter(({ text }) => text !== "-").map((file) => path("place", file)),
    ...operands.filter(({ text }) => text.startsWith("/") && !/\/\.env/u.test(text)).map((file) => path("read", file)),
    ...(devices.length > 0 && options.length + operands.length > 0 ? [rule("partition", ...args)] : []),
    ...(code ? [rule("unreadable_code", code)] : []),
  ];
}

/** Programs that only show information about disks and keys. */
const inspecting = /^(?:smartctl|lsblk|blkid|udevadm|findmnt|iostat|ssh-add|ssh-agent|nvme|e2label)$/u;

const blockDevice = /^(?:--?[\w-]+=)?\/dev\/(?:sd[a-z]|nvme\d|hd[a-z]|mmcblk\d|vd[a-z]|xvd[a-z]|r?disk\d|mapper\/)/u;

const outputOption =
  /^(?:o|out|outfile|out-?file|output|output-(?:file|dir|path)|out-?dir|log-?file|trace|dump|save|dest|destination|write-to)$/u;

const codeOption = /^(?:-e|-E|-c|-x|--eval|--exec|--expr|--expression|--execute|--command|eval)$/u;

/** Names in code of any language that start, delete or send something. */
const acts =
  /\b(?:system|exec\w*|spawn\w*|popen\w*|shell\w*|sh|run(?:-?program|process|command)?|command|unlink|rm\w*|remove\w*|delete\w*|fork|subprocess|process)\b/iu;
