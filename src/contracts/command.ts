import type { ServiceName, Services } from "./services.ts";

/** A slash command: one table feeds completion, help, chat menus and editors. */
export interface Command<N extends ServiceName = ServiceName> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly args?: string;
  readonly where: "everywhere" | "terminal" | "chat";
  /** While the agent works: do it now, interrupt first, or refuse. */
  readonly whileBusy: "now" | "interrupt" | "refuse";
  readonly needs?: readonly N[];
  run(args: string, services: Pick<Services, N>, signal: AbortSignal): Promise<{ readonly text: string }>;
}
