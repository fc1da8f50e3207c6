import type { Fact } from "../fact.ts";
import type { Field } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";

/** The effects of a program with these arguments, which do not include its name. */
export type Program = (args: readonly Field[], ran: SimpleCommand, name: string) => readonly Fact[];

/** A key may be several names, with blanks between. */
export type Programs = Readonly<Record<string, Program>>;
