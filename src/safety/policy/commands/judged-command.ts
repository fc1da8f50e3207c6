import type { Reason } from "../../../contracts/safety/approval.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { type SubjectAsk } from "../approvals/question.ts";
import { type UsedFile } from "../files/file-uses.ts";
import type { Subject } from "../rules/subject.ts";

/** The judgement of a command that is about to run. */
export interface JudgedCommand {
  readonly denials: readonly (Reason & { readonly isHardline: boolean })[];
  readonly asks: readonly SubjectAsk[];
  /** Every command that would run. */
  readonly subjects: readonly Subject[];
  readonly commands: readonly SimpleCommand[];
  readonly subjectOf: (ran: SimpleCommand) => Subject;
  readonly used: readonly UsedFile[];
  /** Files that the command is known to write. */
  readonly written: readonly string[];
  /** True if the command certainly changes nothing. */
  readonly isReading: boolean;
}
