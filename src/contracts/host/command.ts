import type { SessionId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { SkillDesk } from "../knowledge/skill.ts";
import type { ContentPart } from "../model/message.ts";
import type { ModelFacts } from "../model/model.ts";
import type { Answer, ApprovalMode } from "../safety/approval.ts";
import type { Session } from "../session/runtime.ts";

/** What a slash command does in the end, beside what it says. */
export type CommandEffect =
  | { readonly kind: "none" }
  /** The conversation ends. */
  | { readonly kind: "quit" }
  /** A fresh session takes its place. */
  | { readonly kind: "new"; readonly title?: string }
  | { readonly kind: "resume"; readonly session: SessionId }
  /** As if the person had typed it. */
  | { readonly kind: "prompt"; readonly content: readonly ContentPart[] };

export interface CommandReply {
  /** Markdown, short. */
  readonly text: string;
  readonly failed?: boolean;
  readonly effect?: CommandEffect;
}

/** What a command works on. A host hands in what it has; what is missing makes its commands unavailable there. */
export interface CommandContext {
  readonly session: Session;
  readonly signal: AbortSignal;
  /** Runs an operation by name, such as `sessions.list`. Rejects with a sentence for the person when it fails. */
  run(name: string, input: object): Promise<unknown>;
  /** Settings, models, tools and the like, as the host's runtime has them. */
  readonly host: CommandHost;
}

/** What commands ask of the program they run in. */
export interface CommandHost {
  readonly version: string;
  /** All commands that there are here, for help. */
  readonly commands: readonly Command[];
  /** Those that could be used now, `provider/model` or an alias. */
  models(signal: AbortSignal): Promise<readonly { readonly name: string; readonly note: string }[]>;
  providers(signal: AbortSignal): Promise<readonly { readonly name: string; readonly note: string }[]>;
  /** Presets of mixtures, chosen as `moa/NAME`, and the usual one. */
  readonly mixtures?: { readonly presets: readonly string[]; readonly usual: string };
  /** For all conversations from now on. */
  keepModel(
    model: Pick<ModelFacts, "provider" | "model">,
    signal: AbortSignal,
  ): Promise<Result<void, { readonly message: string }>>;
  /** Asks before history is left or taken back. Left out: it is done at once. */
  readonly confirm?: (question: string, signal: AbortSignal) => Promise<boolean>;
  /** How wide a line may be. Left out: as in a chat. */
  readonly columns?: number;
  readonly skills?: SkillDesk;
  /** The way of asking before dangerous calls, and how it is changed for this conversation. */
  readonly approvals: {
    mode(): ApprovalMode;
    setMode(mode: ApprovalMode): void;
    pending(): Promise<readonly { readonly id: string; readonly text: string }[]>;
    /** The oldest that waits when no id is given. What was answered, in words. */
    answer(answer: Answer, id?: string): Promise<Result<string, { readonly message: string }>>;
  };
}

/** A slash command: one table feeds completion, help, chat menus and editors. One file each. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** As help shows it: `[focus]`. */
  readonly args?: string;
  readonly where: "everywhere" | "terminal" | "chat";
  /** While a turn runs: do it now, interrupt first, or refuse. Who leaves the session leaves its turn, too. */
  readonly whileBusy: "now" | "interrupt" | "refuse";
  run(args: string, ctx: CommandContext): Promise<CommandReply>;
}
