import type { CliCommand } from "./command.ts";

/** The first word of a command line. Only the group that was asked for is loaded. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  load(): Promise<{ readonly commands: readonly CliCommand[] }>;
}

export const groups: readonly CommandGroup[] = [
  { name: "tools", summary: "List, show, search and call tools", load: () => import("./commands/tools.ts") },
  { name: "toolsets", summary: "Show the bundles that tools come in", load: () => import("./commands/toolsets.ts") },
  { name: "config", summary: "Show and change the configuration", load: () => import("./commands/config.ts") },
  { name: "profile", summary: "Keep several homes side by side", load: () => import("./commands/profile.ts") },
  { name: "trust", summary: "Let a project folder bring its own settings", load: () => import("./commands/trust.ts") },
  { name: "check", summary: "Check files for other programs", load: () => import("./commands/check.ts") },
  { name: "doctor", summary: "Check this machine and say what to do", load: () => import("./commands/doctor.ts") },
];
