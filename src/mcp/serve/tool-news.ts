import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import type { ServedTool } from "./tool-listing.ts";

/** Notifies a client when its tools differ from those that it listed. */
export interface ToolNews extends Disposable {
  /** Records that the client has read this list. */
  listed(tools: readonly ServedTool[]): void;
  /** Reports that the tools may have changed. Has no effect before the client's first list. */
  changed(): void;
}

export interface ToolNewsDeps {
  /** Reads the current tools. If it rejects, nothing is announced. */
  read(): Promise<readonly ServedTool[]>;
  announce(): void;
  readonly clock: Clock;
}

export function createToolNews({ read, announce, clock }: ToolNewsDeps): ToolNews {
  let last: string | undefined;
  let timer: Disposable | undefined;
  let isOver = false;

  async function compare(): Promise<void> {
    timer = undefined;
    const tools = await read().catch(() => undefined);
    const now = tools && digestOf(tools);
    if (isOver || now === undefined || now === last) return;
    last = now;
    announce();
  }

  return {
    listed(tools) {
      last = digestOf(tools);
    },
    changed() {
      if (last !== undefined && !isOver) timer ??= clock.after(settleMs, () => void compare());
    },
    [Symbol.dispose]() {
      isOver = true;
      timer?.[Symbol.dispose]();
    },
  };
}

/** A short delay combines the tools of a server, which arrive one after another, into one change. */
const settleMs = 200;

function digestOf(tools: readonly ServedTool[]): string {
  return sha256(JSON.stringify(tools));
}
