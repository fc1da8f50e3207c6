import { rowsByName } from "../../../base/text/words.ts";
import { isCommandVariable } from "../checks/loader-variables.ts";
import { interpreterNames, interpreterPayloads } from "../interpreters/interpreters.ts";
import { programName } from "../programs/program-name.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import type { Payload } from "../shell/walk.ts";
import { windowsWrappers } from "../windows/windows-payloads.ts";
import { carrierWrappers } from "./carriers.ts";
import { gitWrappers } from "./git-payloads.ts";
import { listWrappers } from "./lists.ts";
import { loadedPayloads } from "./loaded-files.ts";
import { prefixWrappers } from "./prefixes.ts";
import { remoteWrappers } from "./remote.ts";
import { evalWrapper, joinedPayload, shellWrapper, shellNames, sourceWrapper, trapWrapper } from "./shells.ts";
import { payloadText, toolWrappers } from "./tools.ts";
import type { Wrapper } from "./wrapper.ts";

/** Returns the commands that a command runs, according to its arguments, its input and its variables. */
export function payloadsOf(ran: SimpleCommand): readonly Payload[] {
  const name = programName(ran.argv[0]);
  if (name === undefined) return [];
  const wrapper = wrapperOf(name);
  const payloads = wrapper ? wrapper(ran, name).map(payloadText) : [];
  const variables = variablePayloads(ran, name);
  const loaded = ran.contents.size === 0 ? variables : [...variables, ...loadedPayloads(ran, name)];
  return loaded.length === 0 ? payloads : [...payloads, ...loaded];
}

/** Returns whether the program runs other commands. An approval never covers such a program as a whole. */
export function isWrapper(name: string): boolean {
  return wrapperOf(name) !== undefined;
}

function wrapperOf(name: string): Wrapper | undefined {
  return (
    byName.get(name) ??
    (name.startsWith("ld") && /^ld(?:-linux|-musl)?[\w-]*\.so/u.test(name) ? byName.get("nohup") : undefined)
  );
}

const byName: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ...[windowsWrappers, prefixWrappers, remoteWrappers, toolWrappers, listWrappers, carrierWrappers].flatMap(rowsByName),
  ...[...shellNames].map((name): [string, Wrapper] => [name, shellWrapper]),
  ...[...interpreterNames].map((name): [string, Wrapper] => [name, interpreterPayloads]),
  ["git", gitWrappers],
  ["eval", evalWrapper],
  ["trap", trapWrapper],
  ["source", sourceWrapper],
  [".", sourceWrapper],
]);

/** Handles `PAGER='code' git log` and `export EDITOR='code'`: a later program runs the value. */
function variablePayloads({ argv, assignments }: SimpleCommand, name: string): readonly Payload[] {
  const isDeclaring = name === "export" || name === "declare" || name === "typeset" || name === "readonly";
  if (assignments.length === 0 && !isDeclaring) return [];
  const set = assignments.filter((each) => isCommandVariable(each.name)).map(({ value }) => value);
  const declared = isDeclaring
    ? argv.slice(1).flatMap((word) => {
        const index = word.text.indexOf("=");
        return index > 0 && isCommandVariable(word.text.slice(0, index))
          ? [{ ...word, text: word.text.slice(index + 1) }]
          : [];
      })
    : [];
  const values = [...set, ...declared].filter(({ text }) => /\s|\//u.test(text));
  // Handles `LESSOPEN='| code %s'`.
  return values.flatMap((value) =>
    joinedPayload([{ ...value, text: value.text.replace(/^\s*\|+-?/u, "") }], "variable"),
  );
}
