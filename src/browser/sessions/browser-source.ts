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
  /** Undefined: the account of this process. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

export interface OpenedBrowser {
  readonly connection: CdpConnection;
  /** A description such as "Chrome/156.0 on this machine". */
  readonly description: string;
  /** The cookie jar of the conversation. Undefined: the browser's own. */
  readonly contextId: string | undefined;
  /** New pages are attached by the browser before they run. False: they must be found. */
  readonly attachesItself: boolean;
  readonly admission: ProxyAdmission | undefined;
  /** `navigations`: the traffic does not go through our guard. */
  readonly checks: "all" | "navigations";
  /** Why a script on a page could act as the user. */
  readonly login?: string;
  /** Weaknesses that the first result must mention. */
  readonly warnings: readonly string[];
  /** Undefined: downloads stay where the person's browser puts them. */
  readonly downloads: string | undefined;
  /** A folder that the browser can read, and the account that owns its files. Undefined: it runs elsewhere. */
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
