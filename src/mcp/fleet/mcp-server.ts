import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { randomHex, sha256 } from "../../base/digest.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { McpConnection, McpFault } from "../../contracts/mcp/connection.ts";
import type { McpListing } from "../../contracts/mcp/definitions.ts";
import type { McpRunningCall, McpServerGlance, McpUse } from "../../contracts/mcp/fleet.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { McpServerState, McpServerStatus } from "../../contracts/mcp/status.ts";
import { createBreaker } from "./breaker.ts";
import { superviseConnection } from "./connection-care.ts";
import { judgeListing, type JudgeDeps, type Pins } from "./judge-listing.ts";
import type { IndexedServer, ServerCache, ServerTools } from "./server-cache.ts";
import { withoutHiddenText } from "./visible-listing.ts";

/** One configured server: its tools and its connection, which is reopened when necessary. */
export interface McpServer extends AsyncDisposable {
  readonly entry: McpServerEntry;
  status(): McpServerStatus;
  /** Returns the state without reading a file. */
  glance(): McpServerGlance;
  tools(): ServerTools;
  listing(): McpListing | undefined;
  /** Facts from the latest listing; undefined if there is none yet. Does not read a file. */
  readonly facts: ServerFacts | undefined;
  readonly isOff: boolean;
  /** Connects in the background. If the connection fails, reconnects forever. */
  keep(): void;
  /** Connects now, in any state, and lists the tools again. */
  connect(signal: AbortSignal): Promise<Result<void, McpFault>>;
  use<T>(exchange: Exchange<T>, options: McpUse): Promise<Result<T, McpFault>>;
  runningCalls(): readonly McpRunningCall[];
  /** Pins the current definitions of these tools; of all waiting tools if undefined. */
  accept(tools?: readonly string[]): Promise<Result<void, string>>;
  /** Resolves after the first attempt to connect, if one was started. */
  readonly tried: Promise<unknown>;
}

export type ServerFacts = Omit<IndexedServer, "key">;

type Exchange<T> = (connection: McpConnection, entry: McpServerEntry) => Promise<Result<T, McpFault>>;

export interface McpServerDeps extends JudgeDeps {
  /** Opens connections to one server. Creating the object loads nothing. */
  readonly connector: (
    entry: McpServerEntry,
    runningCalls: () => readonly McpRunningCall[],
  ) => (signal: AbortSignal) => Promise<Result<McpConnection, McpFault>>;
  readonly cache: ServerCache;
  /** Returns why the user must first accept the program of the server; undefined if it may start. */
  readonly startFault: (entry: McpServerEntry, signal: AbortSignal) => Promise<string | undefined>;
  /** Returns why servers are not allowed to run; undefined if they are. */
  readonly offReason?: string;
  /** Shows a sentence to the user. */
  readonly say: (sentence: string) => void;
  readonly logTail: (server: string) => readonly string[];
  /** Called when the state or the tools changed. */
  readonly changed: (server: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createMcpServer(entry: McpServerEntry, deps: McpServerDeps): McpServer {
  const { clock, log, cache } = deps;
  const { name } = entry;
  const over = new AbortController();
  const running = new Set<McpRunningCall>();
  const connect = deps.connector(entry, () => [...running]);
  const breaker = createBreaker(clock);
  const offReason = deps.offReason ?? (entry.isEnabled ? undefined : `MCP server ${name} is disabled by its settings.`);
  let facts: ServerFacts | undefined = cache.find(entry);
  let state: McpServerState = offReason === undefined ? (facts ? "known" : "new") : "disabled";
  let why: string | undefined = offReason;
  /** The pins, read at their first use. */
  let tools: ServerTools | undefined;
  /** The listing as the server sent it, kept while the server is connected. */
  let listed: McpListing | undefined;
  /** The pins in memory, if the Hermes home is not writable. */
  let pins: Pins = {};
  let current: McpConnection | undefined;
  let opening: Promise<Result<McpConnection, McpFault>> | undefined;
  let tried: Promise<unknown> = Promise.resolve();
  let isKept = false;
  let hasConnected = false;
  /** The number of consecutive attempts that failed, or whose connection did not last. */
  let failures = 0;
  let openedAt = 0;
  let retry: Disposable | undefined;
  let uses = 0;
  let lastTurn: Promise<unknown> = Promise.resolve();
  let saving: Promise<unknown> = Promise.resolve();

  const care = superviseConnection(entry, {
    clock,
    isBusy: () => uses > 0,
    refresh,
    recycle: (connection) => recycle(connection),
    lost: (connection, reason) => lost(connection, reason),
  });

  function become(next: McpServerState, reason?: string): void {
    state = next;
    why = reason;
    deps.changed(name);
  }

  function fault(kind: McpFault["kind"], message: string): { readonly ok: false; readonly error: McpFault } {
    return err({ kind, message, isSent: false });
  }

  /** One attempt at a time, shared by all callers that wait for it. */
  function open(): Promise<Result<McpConnection, McpFault>> {
    opening ??= openNow().finally(() => (opening = undefined));
    tried = opening;
    return opening;
  }

  async function openNow(): Promise<Result<McpConnection, McpFault>> {
    retry?.[Symbol.dispose]();
    if (over.signal.aborted) return fault("aborted", `MCP server ${name} is being closed.`);
    become("connecting");
    const refusal = await deps.startFault(entry, over.signal);
    if (refusal !== undefined) {
      become("asking", refusal);
      return fault("off", refusal);
    }
    const connected = await connect(over.signal);
    if (!connected.ok) return failed(connected.error);
    const connection = connected.value;
    const read = await list(connection);
    if (!read.ok || over.signal.aborted) {
      await connection[Symbol.asyncDispose]();
      return read.ok ? fault("aborted", `MCP server ${name} is being closed.`) : failed(read.error);
    }
    current = connection;
    hasConnected = true;
    openedAt = clock.elapsed();
    void connection.closed.then(({ reason }) => lost(connection, reason));
    care.opened(connection);
    become("connected");
    return ok(connection);
  }

  function failed(error: McpFault): Result<never, McpFault> {
    if (over.signal.aborted) return err(error);
    log.warn("mcp.connect_failed", { server: name, kind: error.kind, error: error.message, failures });
    if (error.kind === "auth") become("signed_out", error.message);
    else {
      become("retrying", error.message);
      tryAgainLater();
    }
    return err(error);
  }

  /** Retries forever, at growing intervals. */
  function tryAgainLater(): void {
    failures += 1;
    const jitter = 0.8 + (Number.parseInt(randomHex(2), 16) / 0xffff) * 0.4;
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 10)) * jitter;
    retry?.[Symbol.dispose]();
    retry = clock.after(delayMs, () => void open());
  }

  function lost(connection: McpConnection, reason: string): void {
    if (current !== connection) return;
    release(connection);
    if (over.signal.aborted) return;
    log.warn("mcp.connection_lost", { server: name, reason });
    if (clock.elapsed() - openedAt >= steadyMs) failures = 0;
    if (!isKept) return become("known");
    become("retrying", `MCP server ${name} closed the connection: ${reason}. Hermes is reconnecting.`);
    tryAgainLater();
  }

  function release(connection: McpConnection): void {
    current = undefined;
    listed = undefined;
    care.closed();
    // The promise never rejects, so it needs no handler.
    void connection[Symbol.asyncDispose]();
  }

  /** Closes the connection; the next call reconnects. */
  function recycle(connection: McpConnection): void {
    if (current !== connection) return;
    release(connection);
    become("known");
  }

  async function refresh(connection: McpConnection): Promise<void> {
    const read = await list(connection);
    if (!read.ok) log.warn("mcp.list_failed", { server: name, error: read.error.message });
    else if (current === connection) deps.changed(name);
  }

  async function list(connection: McpConnection): Promise<Result<void, McpFault>> {
    const limits = { signal: over.signal, timeoutMs: entry.connectTimeoutMs };
    const read = await connection.list(limits);
    if (!read.ok) return read;
    for (const problem of read.value.problems) log.warn("mcp.listing_problem", { server: name, problem });
    await judge(read.value);
    return ok(undefined);
  }

  async function judge(listing: McpListing, accepted?: (tool: string) => boolean): Promise<void> {
    const before = tools?.waiting ?? (facts ? cache.tools(name).waiting : []);
    // Reads the file again, to include pins that another program has just written.
    await saving;
    const judged = await judgeListing(listing, entry, cache.pins(name) ?? pins, deps, accepted);
    ({ pins } = judged);
    listed = listing;
    tools = { offered: judged.offered, waiting: judged.waiting };
    const { prompts, hasResources, hasCompletions } = withoutHiddenText({ ...listing, tools: [] });
    const hash = sha256(JSON.stringify([tools, listing])).slice(0, 32);
    facts = { hash, tools: tools.offered.length, prompts, hasResources, hasCompletions };
    const isNew = judged.waiting.some(
      ({ tool, detail }) => !before.some((old) => old.tool === tool && old.detail === detail),
    );
    if (isNew) deps.say(waitingText(name, judged.waiting.length));
    const { offered, waiting } = judged;
    saving = saving.then(() => save(listing, { offered, waiting }, judged.pins, hash));
    if (accepted) await saving;
  }

  async function save(listing: McpListing, shown: ServerTools, all: Pins, hash: string): Promise<void> {
    const unpinned = await cache.save(entry, listing, shown, all, hash);
    if (unpinned !== undefined) deps.say(`The tools of MCP server ${name} could not be pinned: ${unpinned}`);
  }

  async function ready(signal: AbortSignal): Promise<Result<McpConnection, McpFault>> {
    if (current?.isOpen) return ok(current);
    if (current) lost(current, "it ended");
    const ms = hasConnected ? reconnectWaitMs : entry.connectTimeoutMs * 2;
    const waited = await waitFor(open(), { signal, ms, clock });
    if (waited.how === "done") return waited.value;
    if (waited.how === "aborted") return fault("aborted", `The call was cancelled while MCP server ${name} connected.`);
    return fault("timeout", `MCP server ${name} has not connected within ${ms / 1000} s. Try again later.`);
  }

  /** On a server that accepts one call at a time, waits for earlier calls. */
  async function takeTurn(signal: AbortSignal): Promise<(() => void) | undefined> {
    const done = Promise.withResolvers<void>();
    const before = lastTurn;
    lastTurn = before.then(() => done.promise);
    const waited = await waitFor(before, { signal, ms: Infinity, clock });
    if (waited.how === "done") return done.resolve;
    done.resolve();
    return undefined;
  }

  async function exchangeOnce<T>(
    connection: McpConnection,
    exchange: Exchange<T>,
    call: McpRunningCall | undefined,
  ): Promise<Result<T, McpFault>> {
    uses += 1;
    if (call) running.add(call);
    try {
      return await exchange(connection, entry);
    } finally {
      uses -= 1;
      if (call) running.delete(call);
      care.used();
    }
  }

  async function attempt<T>(exchange: Exchange<T>, { signal, call }: McpUse): Promise<Result<T, McpFault>> {
    for (let attempts = 1; ; attempts++) {
      const connected = await ready(signal);
      if (!connected.ok) {
        breaker.failed(connected.error);
        return connected;
      }
      const connection = connected.value;
      await waitFor(care.settled(), { signal, ms: reconnectWaitMs, clock });
      const result = await exchangeOnce(connection, exchange, call);
      if (result.ok) breaker.worked();
      else breaker.failed(result.error);
      if (result.ok) return result;
      const { kind, isSent } = result.error;
      const isStale = kind === "session" || (kind === "transport" && (!connection.isOpen || !isSent));
      if (isStale) recycle(connection);
      if (!isStale || isSent || attempts === 2) return result;
    }
  }

  const glance = (): McpServerGlance => ({
    name,
    state,
    ...(why !== undefined && { why }),
    entry,
    prompts: facts?.prompts ?? [],
    hasResources: facts?.hasResources ?? false,
    hasCompletions: facts?.hasCompletions ?? false,
  });

  return {
    entry,
    isOff: offReason !== undefined,
    get facts() {
      return facts;
    },
    get tried() {
      return tried;
    },
    glance,
    status: () => ({
      ...glance(),
      tools: toolsNow().offered.map((tool) => tool.name),
      waiting: toolsNow().waiting,
      isUnconfined: entry.target.kind === "stdio" && entry.target.permissions === undefined,
      log: deps.logTail(name),
    }),
    tools: toolsNow,
    listing() {
      const listing = listed ?? (facts ? cache.listing(name) : undefined);
      return listing && withoutHiddenText(listing);
    },
    keep() {
      isKept = true;
      if (offReason === undefined && !current && !opening) void open();
    },
    async connect(signal) {
      if (deps.offReason !== undefined) return fault("off", deps.offReason);
      const isFresh = !current?.isOpen;
      const connected = await ready(signal);
      if (!connected.ok) return connected;
      const read = isFresh ? ok(undefined) : await list(connected.value);
      if (read.ok) breaker.worked();
      deps.changed(name);
      return read;
    },
    async use(exchange, options) {
      if (offReason !== undefined) return fault("off", offReason);
      const waitMs = breaker.waitMs();
      if (waitMs > 0) {
        const text = `MCP server ${name} failed several times. Calls are possible again in ${Math.ceil(waitMs / 1000)} s.`;
        return fault("transport", text);
      }
      if (entry.isParallel) return attempt(exchange, options);
      const endTurn = await takeTurn(options.signal);
      if (!endTurn) return fault("aborted", `The call was cancelled before MCP server ${name} was free.`);
      return attempt(exchange, options).finally(endTurn);
    },
    runningCalls: () => [...running],
    async accept(chosen) {
      const listing = listed ?? (facts ? cache.listing(name) : undefined);
      if (!listing)
        return err(`The tools of MCP server ${name} have not been listed yet. Run: hermes mcp test ${name}`);
      const { waiting } = toolsNow();
      const open = new Set(waiting.filter(({ reason }) => reason !== "collision").map(({ tool }) => tool));
      const unknown = chosen?.find((tool) => !open.has(tool));
      if (unknown !== undefined) return err(`${unknown} of MCP server ${name} is not waiting to be accepted.`);
      const isConnected = listed !== undefined;
      await judge(listing, (tool) => open.has(tool) && (chosen?.includes(tool) ?? true));
      if (!isConnected) listed = undefined;
      deps.changed(name);
      return ok(undefined);
    },
    async [Symbol.asyncDispose]() {
      over.abort(new Error("the MCP servers are being closed"));
      retry?.[Symbol.dispose]();
      care.closed();
      await opening;
      const connection = current;
      current = undefined;
      await connection?.[Symbol.asyncDispose]();
      await saving;
    },
  };

  function toolsNow(): ServerTools {
    return (tools ??= facts ? cache.tools(name) : { offered: [], waiting: [] });
  }
}

const firstDelayMs = 1_000;
const maxDelayMs = 60_000;
/** A connection that lasted this long resets the count of failures. */
const steadyMs = 30_000;
const reconnectWaitMs = 15_000;

function waitingText(server: string, count: number): string {
  return `MCP server ${server}: ${plural(count, "tool")} must be accepted before use. To see why: hermes mcp trust ${server}`;
}
