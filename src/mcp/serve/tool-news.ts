import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import type { ServedTool } from "./tool-listing.ts";

/** Announces to a client that its tools differ from those that it listed. */
export interface ToolNews extends Disposable {
  /** The client has read this list. */
  listed(tools: readonly ServedTool[]): void;
  /** The tools may have changed. Before the first list it does nothing. */
  changed(): void;
}

export interface ToolNewsDeps {
  /** The current tools. If it rejects, nothing is announced. */
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

/** The tools of a server arrive one after the other; this is one change. */
const settleMs = 200;

function digestOf(tools: readonly ServedTool[]): string {
  return sha256(JSON.stringify(tools));
}
