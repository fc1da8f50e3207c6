import { words } from "../../../base/text/words.ts";
import { type Fact, path, rule } from "../fact.ts";
import type { Field } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { onlyPrintsArguments, deletionFacts } from "./deletion-verbs.ts";
import { readOptions } from "./options.ts";

/** The effects of a program without a table, based on the common meaning of its arguments. */
export function unknownProgram(args: readonly Field[], ran: SimpleCommand, name: string): readonly Fact[] {
  const deletions = deletionFacts(args, ran, name);
  if (reporting.has(name)) return [...deletions, ...namedOutputs(args).filter(isElsewhere)];
  if (onlyPrintsArguments(name) || inspecting.test(name)) return deletions;
  const { options } = readOptions(args);
  const operands = args.filter(({ text }, index) => !text.startsWith("-") && !namesOwnKey(args[index - 1]?.text ?? ""));
  const devices = args.filter(({ text }) => blockDevice.test(text));
  return [
    ...deletions,
    ...namedOutputs(args),
    ...lastOperand(operands, name),
    ...operands
      .filter(({ text }) => text.startsWith("/") && !/\/\.env/u.test(text))
      .map((file) => path("read", file, packing.test(name))),
    ...(devices.length > 0 && options.length + operands.length > 0 ? [rule("partition", ...args)] : []),
    ...inlineCode(args),
  ];
}

/** Code of an unknown language in an argument that starts, deletes or sends something. */
export function inlineCode(args: readonly Field[]): readonly Fact[] {
  const code = args.find(
    ({ text }, index) =>
      (codeOption.test(args[index - 1]?.text ?? "") || codeText.test(text)) && /[("'`[]/u.test(text) && acts.test(text),
  );
  return code ? [rule("unreadable_code", code)] : [];
}

/** Returns the output files that options name. */
export function namedOutputs(args: readonly Field[]): readonly Fact[] {
  return args.flatMap((word, index): readonly Fact[] => {
    const [, option = "", value] = /^--?([\w-]+)(?:=([^]+))?$/u.exec(word.text) ?? [];
    const attached = /^-[oO]([/~][^]*)$/u.exec(word.text)?.[1];
    const files =
      attached !== undefined || value !== undefined
        ? [{ ...word, text: attached ?? value ?? "" }]
        : args.slice(index + 1, index + 2);
    if (attached === undefined && !outputOption.test(option)) return [];
    return files.filter(({ text }) => text !== "-").map((file) => path("place", file));
  });
}

/** Programs that mostly print, but write a report or a build to the file in an option. */
const reporting: ReadonlySet<string> = new Set(
  words(`
  tree go cargo rustc g++ cc clang eslint jest vitest mocha pytest ruff mypy pylint rspec phpunit tsc webpack vite rollup
  esbuild swc babel hugo jekyll mkdocs cloc tokei scc hyperfine act
`),
);

function isElsewhere(fact: Fact): boolean {
  return fact.kind === "path" && /^(?:[/~]|\.\.)/u.test(fact.path.text);
}

/** Many programs write to their last operand: `convert a.png b.png`. This is reported only in protected places. */
function lastOperand(operands: readonly Field[], name: string): readonly Fact[] {
  const [first, ...more] = operands;
  const target = more.at(-1);
  const isTarget = target && /^(?:~|\/(?!dev\/))/u.test(target.text) && !target.text.endsWith("/");
  return isTarget && !readingVerb.test(first?.text ?? "") && !checking.test(name) ? [path("make", target)] : [];
}

const readingVerb =
  /^(?:show|get|list|ls|cat|view|info|describe|check|validate|verify|test|lint|inspect|read|search|find|print|dump|parse|status|query|diff|scan|analy[sz]e|config|--)$/u;

const checking = /lint|check|test|valid|diff|cmp|view|show|info|dump|grep|read|stat|scan|list|audit|^ls/u;

/** Programs that copy whole folders to an archive or to another machine. */
const packing = /^(?:duplicity|kopia|rclone|tarsnap|bsdtar|star|pax|croc|magic-wormhole|wormhole)$/u;

/** Commands that only show information about disks and keys. */
const inspecting = /^(?:smartctl|lsblk|blkid|udevadm|findmnt|iostat|ssh-add|ssh-agent|nvme|e2label)$/u;

const blockDevice = /^(?:--?[\w-]+=)?\/dev\/(?:sd[a-z]|nvme\d|hd[a-z]|mmcblk\d|vd[a-z]|xvd[a-z]|r?disk\d|mapper\/)/u;

const outputOption =
  /^(?:o|out|outfile|out-?file|output|output-?(?:file|dir|path)|out-?dir|log-?file|trace|dump|save|dest|destination|write-to|junit-?xml)$/iu;

const codeOption = /^(?:-[eEcx]|--?(?:eval|exec|expr|expression|execute|command|code|batch)|eval)$/u;

/** Matches an option with code in the same word, or an expression in parentheses, as in Lisp. */
const codeText =
  /^--(?:eval|exec|expr|expression|execute|code|goal|[a-z]+-(?:string|goal|code|expr))=|^\([a-z][\w./-]* /u;

/** Names in code of any language that start, delete or send something. */
const acts =
  /\b(?:system|exec\w*|spawn\w*|popen\w*|shell\w*|sh|run(?:-?program|process|command)?|command|unlink|rm\w*|remove\w*|delete\w*|fork|subprocess|process)\b/iu;

/** Returns whether the option names a key or a settings file that the program itself uses. */
export function namesOwnKey(option: string): boolean {
  return option.startsWith("-") && ownKey.test(option);
}

const ownKey =
  /^--(?:identity\w*|private-?key\w*|[\w-]*-keys?|[\w-]*key-?file|[\w-]*cert\w*|[\w-]*ca|kubeconfig|[\w-]*config\w*|netrc-file|defaults-[\w-]*file|settings|[\w-]*credentials?|homedir|profile)$/u;
