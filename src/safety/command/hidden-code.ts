import { type Fact, rule } from "./fact.ts";
import { programName } from "./program-name.ts";
import type { SimpleCommand } from "./shell/simple-command.ts";
import { readShell, shellNames } from "./wrappers/shells.ts";

/** A pipe from a decoder into a shell hides what runs, whatever it is. */
export function hiddenCode(ran: SimpleCommand, name: string): readonly Fact[] {
  if (ran.stdin.from.length === 0) return [];
  if (!shellNames.has(name) && !/^(?:python|node|perl|ruby|php|source|\.|eval|xargs|parallel)$/u.test(name)) return [];
  const decoder = ran.stdin.from.find((each) => isDecoding(each));
  const readsCode = shellNames.has(name)
    ? readShell(ran.argv.slice(1)).code === undefined
    : ran.argv.length === 1 || ran.argv[1]?.text === "-";
  return decoder && readsCode ? [rule("hidden_code", ...decoder.argv, ...ran.argv)] : [];
}

function isDecoding({ argv }: SimpleCommand): boolean {
  const name = programName(argv[0]) ?? "";
  const words = argv.slice(1).map(({ text }) => text);
  if (/^base(?:64|32|16|nc)$|^uudecode$|^base58$/u.test(name))
    return (
      name === "uudecode" ||
      words.some((text) => /^(?:-[a-zA-Z]*[dD][a-zA-Z]*|--d(?:e(?:c(?:o(?:d(?:e)?)?)?)?)?)$/u.test(text))
    );
  if (name === "xxd") return words.some((text) => /^-[a-z]*r/u.test(text));
  if (name === "openssl") return words.some((text) => text === "-d");
  return (
    name === "tr" ||
    name === "rev" ||
    name === "gunzip" ||
    name === "zcat" ||
    (name === "gzip" && words.some((text) => /^-\w*d/u.test(text)))
  );
}
