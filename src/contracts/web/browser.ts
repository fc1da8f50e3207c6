import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";

/**
 * The browser of one conversation, as its tools see it. It starts at the first request that needs a page. Implemented
 * by local browsers, browsers over CDP and browsers behind the API of a service.
 */
export interface Browser {
  /** Returns facts about the current page, and about the frames that contain a target. Does not start a browser. */
  facts(target?: PageTarget): Promise<BrowserFacts>;
  /** Executes one request. Never rejects. */
  run(request: BrowserRequest, signal: AbortSignal): Promise<Result<BrowserAnswer, BrowserFault>>;
}

export interface BrowserFacts {
  /** The address of the current page. Undefined: no page is open. */
  readonly url?: string;
  /**
   * Why a script on the page could act as the user: the page has session cookies, or the browser uses a profile or is
   * the user's own browser.
   */
  readonly login?: string;
  /** The addresses of the documents that contain the target. Undefined: not requested, or unknown. */
  readonly frames?: readonly string[];
}

/** The element that an action refers to, or the element with the focus. */
export type PageTarget = { readonly refs: readonly string[] } | "focus";

/** `ref` is an element reference from a snapshot, such as `@e12`. */
export type BrowserRequest =
  | { readonly do: "navigate"; readonly url: string }
  /** `ref`: only this part of the page, with all its content; `offset`: from this item of a list or row of a table. */
  | { readonly do: "snapshot"; readonly isFull: boolean; readonly ref?: string; readonly offset?: number }
  | { readonly do: "click"; readonly ref: string; readonly isDouble?: boolean; readonly isRight?: boolean }
  | { readonly do: "type"; readonly ref: string; readonly text: string; readonly isSubmitted?: boolean }
  | { readonly do: "fill"; readonly fields: readonly FilledField[]; readonly submit?: string }
  | { readonly do: "select"; readonly ref: string; readonly options: readonly string[] }
  | { readonly do: "hover"; readonly ref: string }
  | { readonly do: "press"; readonly key: string }
  /** `ref`: without a direction, the element to bring into view; with one, the container to scroll. */
  | { readonly do: "scroll"; readonly direction?: ScrollDirection; readonly ref?: string }
  | { readonly do: "back" }
  | { readonly do: "upload"; readonly ref?: string; readonly files: readonly UploadedFile[] }
  /** `ref`: the element whose click starts the download; or the address. */
  | { readonly do: "download"; readonly ref?: string; readonly url?: string; readonly timeoutMs: number }
  | { readonly do: "wait"; readonly until: WaitCondition; readonly timeoutMs: number }
  | { readonly do: "tabs" }
  | { readonly do: "switch_tab" | "close_tab"; readonly tab: string }
  | { readonly do: "close" }
  | { readonly do: "pdf" }
  | { readonly do: "images" }
  | { readonly do: "picture"; readonly isAnnotated: boolean; readonly isWholePage?: boolean; readonly ref?: string }
  | { readonly do: "console"; readonly isCleared: boolean }
  | { readonly do: "evaluate"; readonly expression: string }
  | {
      readonly do: "cdp";
      readonly method: string;
      readonly params: JsonObject;
      /** A tab or a frame. Default: the current tab. */
      readonly target?: string;
      readonly timeoutMs: number;
    }
  | { readonly do: "dialog"; readonly isAccepted: boolean; readonly text?: string; readonly dialogId?: string };

export interface FilledField {
  readonly ref: string;
  readonly value: string | boolean | readonly string[];
}

export type ScrollDirection = "up" | "down" | "left" | "right" | "top" | "bottom";

export interface UploadedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export type WaitCondition =
  | { readonly for: "text"; readonly text: string }
  | { readonly for: "text_gone"; readonly text: string }
  | { readonly for: "gone"; readonly ref: string }
  | { readonly for: "url"; readonly part: string }
  | { readonly for: "still" };

export interface BrowserAnswer {
  /** Text for the model. */
  readonly text: string;
  /** Data for scripts and the transcript. */
  readonly data?: JsonValue;
  readonly picture?: PagePicture;
  /** Bytes that the tool stores, such as a PDF. */
  readonly file?: UploadedFile;
  /** The path of a saved download. */
  readonly path?: string;
}

export interface PagePicture {
  readonly mimeType: string;
  /** The data in base64. */
  readonly data: string;
}

export interface BrowserFault {
  /**
   * `gone`: the element no longer exists; `covered`, `outside`: no point of it can be clicked; `refused`: the rules of the
   * user or the element forbid it; `unsupported`: this browser cannot do it.
   */
  readonly kind:
    | "gone"
    | "covered"
    | "outside"
    | "invalid"
    | "refused"
    | "unsupported"
    | "no_page"
    | "timeout"
    | "unavailable"
    | "failed";
  /** The reason, the current state, and the next step. */
  readonly message: string;
  /** True if the failed action may have changed the page. */
  readonly isActed?: boolean;
}
