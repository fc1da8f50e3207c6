import { statSync } from "node:fs";

import type { Clock } from "../../../../base/clock.ts";
import { changedServersText } from "../../../../commands/extensions/server-changes.ts";
import type { RunOperation } from "../../../../operations/run-operation.ts";
import { withoutControls } from "../../without-controls.ts";

export interface FollowServersParts {
  /** The settings file. */
  readonly file: string;
  readonly clock: Clock;
  /** False while a turn runs: a reload would end its calls. */
  isIdle(): boolean;
  run(): RunOperation;
  /** Asks for confirmation. Rejects when the chat ends. */
  confirm(question: string): Promise<boolean>;
  say(sentence: string): void;
}

/** Reloads the MCP servers after the settings file changed. Prints what changed, or nothing if no server did. */
export function followServers(parts: FollowServersParts): Disposable {
  const { file, clock } = parts;
  let handled = stampOf(file);
  let last = handled;
  let isOver = false;
  let timer = clock.after(pollMs, () => void look());

  async function look(): Promise<void> {
    const stamp = stampOf(file);
    // Waits until the file no longer changes, because a program may still be writing it.
    const isSettled = stamp === last;
    last = stamp;
    if (isSettled && stamp !== handled && parts.isIdle()) {
      handled = stamp;
      await reload(parts);
    }
    if (!isOver) timer = clock.after(pollMs, () => void look());
  }

  return {
    [Symbol.dispose]() {
      isOver = true;
      timer[Symbol.dispose]();
    },
  };
}

const pollMs = 1_000;

async function reload({ run, confirm, say }: FollowServersParts): Promise<void> {
  const first = await run()("mcp.reload", {});
  if (!first.ok) return say(withoutControls(`The MCP servers were not reloaded: ${first.error.message}`));
  if (first.value.isSame) return undefined;
  const news = withoutControls(changedServersText(first.value));
  if (first.value.needsConfirmation) {
    const isSure = await confirm(`The settings changed. ${news} Reload them?`).catch(() => false);
    if (!isSure) return undefined;
    const done = await run()("mcp.reload", { isConfirmed: true });
    if (!done.ok) return say(withoutControls(done.error.message));
    return say(withoutControls(changedServersText(done.value)));
  }
  return say(news);
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : "";
}
