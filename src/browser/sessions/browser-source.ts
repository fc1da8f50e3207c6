import type { Result } from "../../base/result.ts";
import type { CdpConnection } from "../cdp/connection.ts";
import type { ProxyAdmission } from "../guard/browser-proxy.ts";
import type { GuardRefusal } from "../guard/url-guard.ts";

/** Provides each conversation with its own part of a browser. */
export interface BrowserSource {
  open(onRefused: (refusal: GuardRefusal) => void): Promise<Result<OpenedBrowser>>;
}

export interface BrowserUploads {
  readonly folder: string;
  /** The account of the browser. If undefined, it uses the account of this process. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

export interface OpenedBrowser {
  readonly connection: CdpConnection;
  /** A description such as "Chrome/156.0 on this machine". */
  readonly description: string;
  /** The cookie jar of the conversation. If undefined, the browser's own cookies are used. */
  readonly contextId: string | undefined;
  /** Whether the browser attaches new pages before they run. If false, Hermes must find them. */
  readonly attachesItself: boolean;
  readonly admission: ProxyAdmission | undefined;
  /** `navigations`: the traffic does not go through our guard. */
  readonly checks: "all" | "navigations";
  /** Why a script on a page could act as the user. */
  readonly login?: string;
  /** Weaknesses that the first result must mention. */
  readonly warnings: readonly string[];
  /** If undefined, downloads stay where the user's browser puts them. */
  readonly downloads: string | undefined;
  /**
   * A folder that the browser can read, and the account that owns its files. Undefined if the browser runs on another
   * machine.
   */
  readonly uploads: BrowserUploads | undefined;
  /** Runs while no other conversation creates a page in this browser, so that the new page can be identified. */
  alone<T>(run: () => Promise<T>): Promise<T>;
  /** Resolves with the reason when the browser has ended. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** Runs the work sequentially. */
export function runInTurn(): OpenedBrowser["alone"] {
  let last: Promise<unknown> = Promise.resolve();
  return async (run) => {
    const mine = last.then(run, run);
    last = mine.catch(() => {});
    return mine;
  };
}
