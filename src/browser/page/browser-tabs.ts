import type { Result } from "../../base/result.ts";
import type { Tab } from "../sessions/tab.ts";

/** The tabs of one conversation, and what only the browser around them can do. */
export interface BrowserTabs {
  /** The tab that requests go to. Undefined: none is open. Starts nothing. */
  current(): Tab | undefined;
  /** The current tab; starts the browser and opens one if there is none. */
  open(signal: AbortSignal): Promise<Result<Tab>>;
  all(): readonly Tab[];
  /** Makes it the current one. */
  select(id: string): Promise<void>;
  /** Why this address must not be opened. */
  refusal(url: string): Promise<string | undefined>;
  /** Starts to save downloads and waits for the one that `start` causes. */
  download(start: () => Promise<void>, timeoutMs: number, signal: AbortSignal): Promise<Result<SavedDownload>>;
  /** Stores bytes where the browser can read them; `DOM.setFileInputFiles` gets the path. */
  keepUpload(name: string, bytes: Uint8Array): Promise<string>;
  /** Messages and errors of the current page since it was opened. */
  consoleMessages(isCleared: boolean): readonly ConsoleMessage[];
  /** Why scripts of ours would act as a person: a named profile, or the person's own browser. */
  readonly ownership: string | undefined;
  /** Sentences that every answer about this browser must carry once, such as a missing sandbox. */
  takeWarnings(): readonly string[];
  close(): Promise<void>;
}

export interface SavedDownload {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

export interface ConsoleMessage {
  readonly kind: "log" | "info" | "warning" | "error" | "debug" | "exception";
  readonly text: string;
  readonly url?: string;
  readonly line?: number;
}
