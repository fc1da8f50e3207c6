import type { Fact } from "../fact.ts";
import type { Field } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";

/** Derives the effects of a program from its arguments. `args` excludes the program name. */
export type Program = (args: readonly Field[], ran: SimpleCommand, name: string) => readonly Fact[];

/** Programs by name; a key may list several names, separated by spaces. */
export type Programs = Readonly<Record<string, Program>>;
