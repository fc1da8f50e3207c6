import type { SimpleCommand } from "./simple-command.ts";
import type { Visitor } from "./walk.ts";

/** Tracks the output of command lists, as far as it is certain which commands run and where their output goes. */
export interface Outputs {
  /** Adds the output of a command. `conditions` is the number of conditions that decide whether it runs. */
  record(ran: SimpleCommand, conditions: number): void;
  /** Used for a command whose output is that of the commands that it runs. */
  pass(ran: SimpleCommand): void;
  /** Used for commands whose output goes elsewhere. */
  lose(list: readonly SimpleCommand[]): void;
  /** Like `of`, but for a substitution, which consumes the output. */
  taken(list: readonly SimpleCommand[], conditions: number): string | undefined;
  /** Returns the output of a list that runs under that many conditions. Undefined if unknown. */
  of(list: readonly SimpleCommand[], conditions: number): string | undefined;
}

export function createOutputs(visitor: Pick<Visitor, "output">): Outputs {
  const conditionsOf = new Map<SimpleCommand, number>();
  const passing = new Set<SimpleCommand>();
  const outputs: Outputs = {
    record(ran, conditions) {
      if (conditions > 0 && !conditionsOf.has(ran)) conditionsOf.set(ran, conditions);
    },
    pass: (ran) => passing.add(ran),
    taken(list, conditions) {
      const text = outputs.of(list, conditions);
      for (const ran of list) passing.add(ran);
      return text;
    },
    lose(list) {
      for (const ran of list) conditionsOf.set(ran, Infinity);
    },
    of(list, conditions) {
      const [only] = list;
      if (only && list.length === 1 && !passing.has(only) && !isSilent(only))
        return (conditionsOf.get(only) ?? 0) > conditions ? undefined : visitor.output(only);
      const printing = list.filter((ran) => !isSilent(ran) && !passing.has(ran));
      // Only the output of the last command of a pipeline is kept.
      const consumed = new Set(list.flatMap(({ stdin }) => stdin.from));
      const last = printing.filter((ran) => !consumed.has(ran));
      if (printing.length === 0) return "";
      if (last.length === 0 || printing.some((ran) => (conditionsOf.get(ran) ?? 0) > conditions)) return undefined;
      let text = "";
      for (const ran of last) {
        const part = visitor.output(ran);
        if (part === undefined) return undefined;
        text += part;
      }
      return text;
    },
  };
  return outputs;
}

function isSilent({ argv: [name], redirections }: SimpleCommand): boolean {
  return name?.text === "function" || (name?.text === ":" && redirections.length === 0);
}
