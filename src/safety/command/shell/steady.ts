import type { Command, CommandNode, Pipeline, Redirection, Word } from "unbash";

import type { ScriptState } from "./shell-state.ts";

/** It leaves the state of the shell as it is, so it needs no copy of it. False where that is not plain to see. */
export function isSteady(tree: CommandNode | Pipeline, { functions, aliases }: ScriptState): boolean {
  if (tree.type !== "Command" || tree.prefix.length > 0 || tree.name?.parts !== undefined) return false;
  const name = tree.name?.value ?? "";
  if (changing.has(name) || functions.has(name) || aliases.has(name)) return false;
  return tree.args.every(isPlainArgument) && tree.redirects.every(isPlainRedirection);
}

/** Builtins that change the shell, and those that run others in it. */
const changing: ReadonlySet<string> = new Set(
  (
    "cd pushd popd chdir alias unalias unset read mapfile readarray getopts printf shift export declare typeset local " +
    "readonly set shopt let eval source . command builtin exec time trap hash enable return break continue"
  ).split(" "),
);

function isPlainArgument(argument: Command["args"][number]): boolean {
  return argument.type === "Word" && isPlainWord(argument);
}

function isPlainRedirection(tree: Redirection): boolean {
  if (tree.type === "HereDoc") return tree.body.parts === undefined;
  return tree.target === undefined || isPlainWord(tree.target);
}

/** `${x:=y}` and arithmetic set variables. */
function isPlainWord({ parts }: Word): boolean {
  return (
    parts === undefined ||
    parts.every((part) =>
      part.type === "DoubleQuoted" ? part.parts.every(({ type }) => plainParts.has(type)) : plainParts.has(part.type),
    )
  );
}

const plainParts: ReadonlySet<string> = new Set(["Literal", "SingleQuoted", "SimpleExpansion", "Glob", "AnsiCQuoted"]);
