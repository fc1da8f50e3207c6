import { isObject } from "../../base/json.ts";
import { reasonOf } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { McpFault } from "../../contracts/mcp/connection.ts";

/** Thrown by our transports, through the library, to the caller of a request. */
export class TransportError extends Error {
  readonly kind: McpFault["kind"];
  readonly isSent: boolean;

  constructor(kind: McpFault["kind"], message: string, isSent: boolean) {
    super(message);
    this.name = "TransportError";
    this.kind = kind;
    this.isSent = isSent;
  }
}

/** Error codes of responses that our own transports create. */
export const lostAnswerCode = -32_099;
export const malformedAnswerCode = -32_098;

/**
 * Converts any rejection of a library request to a fault. The caller checks whether its own signal was aborted. `end`
 * is the reason why the connection ended.
 */
export function faultOf(server: string, thrown: unknown, redact: (text: string) => string, end?: string): McpFault {
  const { kind, text: plain, isSent } = classify(thrown);
  const text = kind === "transport" && end !== undefined ? end : plain;
  return { kind, message: `MCP server ${server}: ${oneLine(redact(text), maxMessageChars)}`, isSent };
}

const maxMessageChars = 1_000;

interface Classified {
  readonly kind: McpFault["kind"];
  readonly text: string;
  readonly isSent: boolean;
}

/** Classifies any rejection of the library. */
export function classify(thrown: unknown): Classified {
  const text = reasonOf(thrown);
  if (thrown instanceof TransportError) return { kind: thrown.kind, text, isSent: thrown.isSent };
  if (!isObject(thrown)) return { kind: "transport", text, isSent: true };
  const data = isObject(thrown.data) ? thrown.data : {};
  // A failed negotiation wraps the underlying error.
  const cause = thrown.cause ?? data.cause;
  if (thrown.code === "ERA_NEGOTIATION_FAILED" && cause instanceof Error) return classify(cause);
  if (typeof data.status === "number")
    return fromStatus(data.status, text, typeof data.text === "string" ? data.text : "");
  if (typeof thrown.name === "string" && authErrors.test(thrown.name)) return { kind: "auth", text, isSent: true };
  if (thrown.code === lostAnswerCode) return { kind: "transport", text, isSent: true };
  if (thrown.code === malformedAnswerCode) return { kind: "malformed", text, isSent: true };
  if (typeof thrown.code === "number") return { kind: "server", text: `it answered: ${text}`, isSent: true };
  const rule = typeof thrown.code === "string" ? byCode[thrown.code] : undefined;
  if (rule) return { ...rule, text: rule.text ?? text };
  if (thrown instanceof SyntaxError || thrown.name === "ZodError")
    return { kind: "malformed", text: `the answer breaks the protocol: ${text}`, isSent: true };
  if (text === "Not connected") return { kind: "transport", text: "the server is not connected", isSent: false };
  return { kind: "transport", text, isSent: true };
}

function fromStatus(status: number, text: string, body: string): Classified {
  const message = `${text} (HTTP ${status})`;
  if (status === 401 || status === 403) return { kind: "auth", text: message, isSent: true };
  if (status === 404 || (status === 400 && /session/iu.test(body)))
    return {
      kind: "session",
      text: `the server does not recognize this session, or the address is wrong: ${message}`,
      isSent: true,
    };
  const isBusy = status >= 500 || status === 408 || status === 429;
  return { kind: isBusy ? "transport" : "server", text: message, isSent: true };
}

const authErrors =
  /^(?:McpUnauth|Unauthorized|OAuth|InsufficientScope|IssuerMismatch|RegistrationRejected|InsecureTokenEndpoint|AuthorizationServerMismatch)/u;

const byCode: Readonly<Record<string, { kind: McpFault["kind"]; text?: string; isSent: boolean }>> = {
  REQUEST_TIMEOUT: { kind: "timeout", text: "no answer in time", isSent: true },
  CONNECTION_CLOSED: { kind: "transport", text: "the connection ended before the answer", isSent: true },
  SEND_FAILED: { kind: "transport", isSent: false },
  NOT_CONNECTED: { kind: "transport", text: "the server is not connected", isSent: false },
  INVALID_RESULT: { kind: "malformed", isSent: true },
  UNSUPPORTED_RESULT_TYPE: { kind: "malformed", isSent: true },
  CLIENT_HTTP_UNEXPECTED_CONTENT: {
    kind: "malformed",
    text: "the address does not answer as an MCP server. Check the url.",
    isSent: true,
  },
  CAPABILITY_NOT_SUPPORTED: { kind: "server", isSent: false },
  METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION: { kind: "server", isSent: false },
};
