import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { createLineReader } from "../wire/lines.ts";

/** JSON-RPC 2.0 with a program, one message a line. */
export interface RpcClient {
  /** Resolves when it is answered, or when the client is closed. Never rejects. */
  request(method: string, params: JsonObject): Promise<Result<JsonObject, RpcFailure>>;
  notify(method: string, params: JsonObject): void;
  /** What the program wrote, in any pieces. */
  push(bytes: Buffer): void;
  /** Nothing is sent or heard any more. */
  close(): void;
}

export type RpcFailure = ({ readonly is: "refused" } & RpcRefusal) | { readonly is: "closed" };

export interface RpcRefusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RpcDesk {
  write(line: string): void;
  notified(method: string, params: Readonly<Record<string, unknown>>): void;
  /** The program asks for something. */
  asked(method: string, params: Readonly<Record<string, unknown>>): Result<JsonValue, RpcRefusal>;
  /** A line was read, whatever stood in it. */
  heard(): void;
  /** What it writes makes no sense: `why` completes "it sent …". */
  broken(why: string): void;
}

export function createRpcClient(desk: RpcDesk): RpcClient {
  const open = new Map<number, (answer: Result<JsonObject, RpcFailure>) => void>();
  let lastId = 0;
  let foreign = 0;
  let isClosed = false;

  const send = (message: JsonObject): void => desk.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  function read(line: string): void {
    if (isClosed || line.trim() === "") return;
    desk.heard();
    const message = parsed(line);
    if (message === undefined) {
      foreign += 1;
      if (foreign > mostForeignLines) desk.broken(`${foreign} lines that are no JSON-RPC`);
      return;
    }
    const { id, method } = message;
    const params = isObject(message["params"]) ? message["params"] : {};
    if (typeof method !== "string") return settle(message);
    if (id === undefined || id === null) return desk.notified(method, params);
    const answer = desk.asked(method, params);
    // An id is a text or a number; it goes back as it came.
    const to = { id: id as JsonValue };
    if (answer.ok) send({ ...to, result: answer.value });
    else send({ ...to, error: { code: answer.error.code, message: answer.error.message } });
  }

  function settle({ id, result, error }: Readonly<Record<string, unknown>>): void {
    const waiting = typeof id === "number" ? open.get(id) : undefined;
    if (typeof id !== "number" || !waiting) return;
    open.delete(id);
    // Parsed from JSON.
    if (!isObject(error)) return waiting(ok(isObject(result) ? (result as JsonObject) : {}));
    const { code, message, data } = error;
    waiting(
      err({
        is: "refused",
        code: typeof code === "number" ? code : 0,
        message: typeof message === "string" ? message : "",
        ...(data !== undefined && { data }),
      }),
    );
  }

  const lines = createLineReader(longestLine, read, (chars) => desk.broken(`a line of more than ${chars >> 20} MB`));

  return {
    request(method, params) {
      if (isClosed) return Promise.resolve(err({ is: "closed" }));
      lastId += 1;
      const id = lastId;
      const answer = new Promise<Result<JsonObject, RpcFailure>>((resolve) => open.set(id, resolve));
      send({ id, method, params });
      return answer;
    },
    notify(method, params) {
      if (!isClosed) send({ method, params });
    },
    push: (bytes) => lines.push(bytes),
    close() {
      isClosed = true;
      for (const waiting of open.values()) waiting(err({ is: "closed" }));
      open.clear();
    },
  };
}

/** Some programs greet or warn on the wrong stream. */
const mostForeignLines = 200;
const longestLine = 32 * 2 ** 20;

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && ("method" in value || "id" in value) ? value : undefined;
  } catch {
    return undefined;
  }
}
