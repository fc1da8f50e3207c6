import { words } from "../../../base/text/words.ts";
import { type Fact, rule } from "../fact.ts";
import { isKnownProgram } from "../programs/program-facts.ts";
import { type Field, hole, unknown } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { isWrapper } from "../wrappers/payloads.ts";
import { variableRule } from "./loader-variables.ts";

/** Finds aliases, functions and variables that change the effect of later commands. */
export function definitionFacts(ran: SimpleCommand, name: string): readonly Fact[] {
  if (name === "function") {
    const [, defined] = ran.argv;
    return defined && isShadowed(defined.text) ? [rule("shadowing", defined)] : [];
  }
  if (name === "alias") return ran.argv.slice(1).flatMap(aliasFacts);
  if (ran.assignments.length === 0 && !declaring.has(name) && name !== "read" && name !== "printf") return [];
  const assigned = [
    ...ran.assignments.map((each) => ({ name: each.name, value: each.value })),
    ...declarations(ran, name),
  ];
  return assigned.flatMap(({ name: variable, value }) => {
    const id = variableRule(variable, value.text);
    return id === undefined ? [] : [rule(id, { ...value, text: `${variable}=${value.text}` })];
  });
}

/**
 * A link in a folder of programs replaces another program of that name. Links to the system's own programs are
 * harmless.
 */
export function isShadowingLink(path: string, { argv }: SimpleCommand): boolean {
  const [, name] = /\/(?:s?bin|shims)\/([^/]+)$/u.exec(path) ?? [];
  return name !== undefined && isShadowed(name) && !argv.some(({ text }) => /^\/(?:usr\/)?s?bin\//u.test(text));
}

const declaring: ReadonlySet<string> = new Set(words("export declare typeset local readonly setenv"));

function declarations(ran: SimpleCommand, name: string): readonly { readonly name: string; readonly value: Field }[] {
  if (name === "printf" && ran.argv[1]?.text === "-v") {
    const [, , variable, value = unknown] = ran.argv;
    return variable ? [{ name: variable.text, value }] : [];
  }
  if (name === "read") return ran.argv.slice(1).map((word) => ({ name: word.text, value: { ...word, text: hole } }));
  if (!declaring.has(name)) return [];
  return ran.argv.slice(1).flatMap((word) => {
    const [, variable, value] = /^([A-Za-z_]\w*)\+?=([^]*)$/u.exec(word.text) ?? [];
    return variable === undefined || value === undefined ? [] : [{ name: variable, value: { ...word, text: value } }];
  });
}

function aliasFacts(word: Field): readonly Fact[] {
  const [, name = "", value = ""] = /^([^=]+)=([^]*)$/u.exec(word.text) ?? [];
  if (name === "" || !isShadowed(name)) return [];
  const first = /^\s*(?:\w+=\S*\s+)*(?:sudo\s+|command\s+|\\)?(\S+)/u.exec(value)?.[1] ?? "";
  const isSame = first === name || (kindred.get(name)?.includes(first) ?? false);
  const isRuthless = name === "rm" && /\s-\w*[rf]/u.test(value);
  return isSame && !isRuthless && !/[;|&`$]/u.test(value) ? [] : [rule("shadowing", word)];
}

/** Aliases that are harmless because they are variants of the same command: `ls` as `exa`. */
const kindred: ReadonlyMap<string, readonly string[]> = new Map([
  ["ls", ["exa", "eza", "lsd"]],
  ["cat", ["bat", "batcat"]],
  ["vim", ["nvim"]],
  ["vi", ["vim", "nvim"]],
  ["python", ["python3"]],
  ["pip", ["pip3"]],
  ["docker", ["podman"]],
  ["find", ["fd", "fdfind"]],
  ["grep", ["rg"]],
  ["rm", ["trash", "trash-put"]],
  ["sed", ["gsed"]],
  ["tar", ["gtar"]],
  ["diff", ["colordiff"]],
  ["top", ["htop", "btop"]],
  ["du", ["dust"]],
  ["man", ["tldr"]],
]);

/** Words that people commonly use as names of functions. */
const ordinaryWords: ReadonlySet<string> = new Set(
  words(`
  install k watch mail port pod op hub mc cf vc sam kind fly np mix sem daemon age dash rc nu bore wipe scrub
  crash task test log link run start stop history format type move copy invoke service build migrate deploy clean
  help usage main start-process render transfer trash repo echo_info approve batch fetch stack goose pass
`),
);

const builtins: ReadonlySet<string> = new Set(
  words(`
  cd echo printf ls pwd export eval exit read true false which make node python python3 pip pip3 vim nano ps top
  df du date id whoami touch basename dirname go cargo java ruby perl command builtin pushd popd unset npx exec
  set kill env printenv command_not_found_handle command_not_found_handler
`),
);

function isShadowed(name: string): boolean {
  return !ordinaryWords.has(name) && (builtins.has(name) || isKnownProgram(name) || isWrapper(name));
}
