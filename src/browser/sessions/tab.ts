import type { Result } from "../../base/result.ts";
import type { CdpSession } from "../cdp/connection.ts";

/** One open page of a conversation. */
export interface Tab {
  /** The target id of the browser. */
  readonly id: string;
  /** Current address and title, as the browser last reported them. */
  readonly url: string;
  readonly title: string;
  /** The session of the main frame and of all frames in its process. It changes if a crashed page is reopened. */
  readonly main: CdpSession;
  /**
   * Checks the URL and opens it. Resolves when the new page has started to load, or with a reason if it has not:
   * `blocked: …` by the user's rules. A page that asks for a password resolves too; `dialogs` then has the question.
   */
  navigate(url: string): Promise<Result<void>>;
  /** Frames in other processes (other origins), parents before their children. The main frame is not among them. */
  frames(): readonly FrameSession[];
  readonly network: NetworkActivity;
  /** Dialogs that wait for an answer, oldest first. While one is open, scripts of the page are stopped. */
  dialogs(): readonly PageDialog[];
  /** Without a `dialogId`, answers the oldest dialog. Returns false if there is no such dialog. */
  answerDialog(answer: DialogAnswer, dialogId?: string): Promise<boolean>;
  /** The file chooser that the page opened last and that has no files yet. */
  fileChooser(): FileChooser | undefined;
  /** Set when the page has crashed; `reopen` loads its address again. */
  readonly crash: string | undefined;
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface FrameSession {
  readonly frameId: string;
  /** Undefined if the browser did not report it. */
  readonly parentFrameId: string | undefined;
  readonly url: string;
  readonly session: CdpSession;
}

export interface NetworkActivity {
  /** Open requests, except those that never end (streams, sockets, long polls older than some seconds). */
  pending(): number;
  /** Milliseconds since a request began or ended. */
  quietMs(): number;
  /** True between the start of a navigation and the `load` event of the main frame. */
  isLoading(): boolean;
  /** Whether the document has workers, sockets or event streams: they can change it at any moment. */
  isFed(): boolean;
  /** How many documents the main frame has shown or requested. A page that was read meanwhile may be the old one. */
  navigations(): number;
  /** Calls the listener after each change. */
  onChange(listener: () => void): Disposable;
}

export interface PageDialog {
  readonly id: string;
  readonly type: "alert" | "confirm" | "prompt" | "beforeunload" | "basic_auth";
  readonly message: string;
  readonly defaultText?: string;
  readonly url: string;
}

export interface DialogAnswer {
  readonly isAccepted: boolean;
  /** The text of a prompt; `user:password` for `basic_auth`. */
  readonly text?: string;
}

export interface FileChooser {
  /** For `DOM.setFileInputFiles`, in the session that reported it. */
  readonly backendNodeId: number;
  readonly session: CdpSession;
  readonly isMultiple: boolean;
}
