import type { CommandReply } from "../../contracts/host/command.ts";

/** Replies that a command accepts only `all`, because toolsets are chosen when a chat starts. */
export function onlyAll(name: string, args: string): CommandReply {
  return {
    text: `/${name} does not know "${args}", only "all". To choose toolsets: hermes -t NAMES, or hermes config set toolsets NAMES`,
    failed: true,
  };
}
