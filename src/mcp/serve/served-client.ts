import type { JsonObject } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import type { ServedContent } from "../../contracts/mcp/served.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import type { ServedTool } from "./tool-listing.ts";

/** The client's own description. Nothing in it is trusted. */
export interface ClientFacts {
  /** The name, with at most 64 letters, digits, dots and dashes. */
  readonly name: string;
  readonly version: string;
  /** Whether the client can show a form to its user. */
  readonly canElicit: boolean;
  /** Whether the client can answer sampling requests with its model. */
  readonly canSample: boolean;
}

/** A client of our server, with its own session and principal. Disposing it ends its running calls and its session. */
export interface ServedClient extends AsyncDisposable {
  tools(signal: AbortSignal): Promise<readonly ServedTool[]>;
  /** The resources and prompts. With `list`, later changes of that list are announced to the client. */
  content(signal: AbortSignal, list?: ContentList): Promise<readonly ServedContent[]>;
  /** Runs the call through the dispatcher of the client's session. Never rejects. */
  call(name: string, args: JsonObject, ports: ClientPorts): Promise<ToolResult>;
}

/** Opens the session of a client when it first needs one. Rejects with a message for the client. */
export type OpenClient = (client: ClientFacts, announce: Announce) => ServedClient;

export type ContentList = "prompts" | "resources";

/** Notifies the client that a list changed. */
export interface Announce extends Readonly<Record<ContentList | "tools", () => void>> {
  /** Whether the client listens now. */
  hasListener(): boolean;
}

/** The client during one call. None of its functions rejects. */
export interface ClientPorts {
  readonly signal: AbortSignal;
  /** Undefined if the client does not request progress. */
  readonly progress?: (note: string) => void;
  log(level: "info" | "warning" | "error", text: string): void;
  /** Shows a form to the user; undefined if the client cannot. */
  readonly elicit?: Elicit;
  readonly sample?: AuxiliaryModel["complete"];
}

/** `schema` is an object whose properties have simple types. The answer is validated against it. */
export type Elicit = (
  form: { readonly message: string; readonly schema: JsonObject },
  signal: AbortSignal,
) => Promise<Result<ElicitAnswer, { readonly message: string }>>;

export type ElicitAnswer =
  | { readonly action: "accept"; readonly content: JsonObject }
  | { readonly action: "decline" | "cancel" };
