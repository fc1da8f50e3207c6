import { type OptionShape, type ReadOptions, readOptions } from "../programs/options.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import type { Payload } from "../shell/walk.ts";

/** Finds the commands that a wrapper program runs. */
export type Wrapper = (ran: SimpleCommand, name: string) => readonly Payload[];

/**
 * Describes a program whose arguments after its options are a command: `timeout 5 rm x`. `skip` is the number of
 * operands before the command.
 */
export function prefixWrapper(
  shape: OptionShape & { readonly skip?: number; readonly hasAssignments?: boolean } = {},
): Wrapper {
  return (ran, name) => {
    const read = readOptions(ran.argv.slice(1), { ...shape, isPrefix: true });
    return commandAfter(ran, name, read, shape.skip ?? 0, shape.hasAssignments ?? false);
  };
}

export function commandAfter(
  _ran: SimpleCommand,
  via: string,
  { operands }: ReadOptions,
  skip: number,
  hasAssignments: boolean,
): readonly Payload[] {
  let rest = operands.slice(skip);
  const assignments: SimpleCommand["assignments"][number][] = [];
  for (const word of hasAssignments ? rest : []) {
    const [, name, value] = /^([^=]*)=([^]*)$/u.exec(word.text) ?? [];
    if (name === undefined || value === undefined) break;
    assignments.push({ name, value: { ...word, text: value } });
  }
  rest = rest.slice(assignments.length);
  const [only] = rest;
  if (!only) return [];
  // No program has such a name: the wrapper gives the text to a shell, or fails.
  if (rest.length === 1 && assignments.length === 0 && /\s/u.test(only.text))
    return [{ text: only.text, via, isOwnShell: true }];
  return [{ argv: rest, via, assignments }];
}
