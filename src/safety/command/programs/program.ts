import type { Fact } from "../fact.ts";
import type { Field } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";

/** What a program does with these arguments; its name is not among them. */
export type Program = (args: readonly Field[], ran: SimpleCommand, name: string) => readonly Fact[];

export type Programs = Readonly<Record<string, Program>>;
