import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { type CallId, newId } from "../../base/ids.ts";
import { err, reasonOf } from "../../base/result.ts";
import type { AuxiliaryModel, Notices } from "../../contracts/host/ports.ts";
import type { ServedContent } from "../../contracts/mcp/served.ts";
import type { PendingApproval } from "../../contracts/safety/approval.ts";
import type { Session, SessionOptions } from "../../contracts/session/runtime.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import { fail } from "../../contracts/tool/tool-result.ts";
import { clientApprovals } from "../../mcp/serve/client-approvals.ts";
import { absentAsker, clientAsker } from "../../mcp/serve/client-asker.ts";
import { createContentNews } from "../../mcp/serve/content-news.ts";
import type { Announce, ClientPorts, ClientFacts, ServedClient } from "../../mcp/serve/served-client.ts";
import { servedTools } from "../../mcp/serve/tool-listing.ts";
import { createToolNews } from "../../mcp/serve/tool-news.ts";
import type { LiveSession } from "../session/session-deps.ts";

type People = Pick<SessionOptions, "asker" | "services">;

export interface ServeSessionDeps {
  /** The tools that a session of this client has. */
  catalog(people: People): Promise<Catalog>;
  /** May reject. */
  open(people: People): Promise<{ readonly session: Session; readonly live: LiveSession }>;
  content(signal: AbortSignal): Promise<readonly ServedContent[]>;
  /** Calls the listener when the tools may have changed. */
  followTools(listener: () => void): Promise<Disposable>;
  readonly announce: Announce;
  readonly clock: Clock;
  /** Tools that may do more than they declare, because of the settings. */
  readonly opaque: ReadonlySet<string>;
}

/**
 * The session of one client. It is opened by the first call, so that a client that only lists tools leaves no session
 * behind.
 */
export function serveSession(client: ClientFacts, deps: ServeSessionDeps): ServedClient {
  // Each call has its own asker, because the client must see which call asks.
  const people: People = {
    ...(client.canElicit && { asker: absentAsker }),
    services: { notices: { notice() {} }, ...(client.canSample && { auxiliary: absentModel }) },
  };
  const catalog = once(() => deps.catalog(people));
  const running = new Map<CallId, ClientPorts>();
  const closing = new AbortController();
  const portsOf = ({ callId, parentCallId = callId }: PendingApproval) =>
    running.get(callId) ?? running.get(parentCallId) ?? Array.from(running.values()).at(-1);
  let opening: ReturnType<typeof deps.open> | undefined;
  /** If the session could not be opened, the next call tries again. */
  async function opened() {
    opening ??= deps.open(people).then((one) => {
      one.session.approvals.attach(clientApprovals(portsOf));
      return one;
    });
    try {
      return await opening;
    } catch (thrown) {
      opening = undefined;
      throw thrown;
    }
  }
  const read = async () => servedTools(await catalog(), deps.opaque);
  const news = createToolNews({ read, announce: deps.announce.tools, clock: deps.clock });
  const contentNews = createContentNews({ read: deps.content, announce: deps.announce, clock: deps.clock });
  const following = once(() => deps.followTools(news.changed));
  let hasListed = false;
  return {
    async tools() {
      hasListed = true;
      await following();
      const tools = await read();
      news.listed(tools);
      return tools;
    },
    async content(signal, list) {
      const content = await deps.content(signal);
      if (list) contentNews.listed(list, content);
      return content;
    },
    async call(name, args, ports) {
      if (running.size >= maxCalls) return fail(`${name} was not run: ${maxCalls} calls of this client are running`);
      const id = newId<CallId>("call");
      const notice: Notices["notice"] = (level, text) => ports.log(level === "warn" ? "warning" : level, text);
      running.set(id, ports);
      try {
        const { live } = await opened();
        const asker = clientAsker(ports);
        return await live.callTool({
          id,
          name,
          args,
          origin: "client",
          signal: AbortSignal.any([ports.signal, closing.signal]),
          services: {
            notices: { notice },
            ...(asker && { asker }),
            ...(ports.sample && { auxiliary: { complete: ports.sample } }),
          },
          emit(event) {
            if (event.type === "tool.progressed") ports.progress?.(event.note);
            if (event.type === "notice") notice(event.level, event.text);
          },
        });
      } catch (thrown) {
        return fail(`${name} was not run: ${reasonOf(thrown)}`, "unavailable");
      } finally {
        running.delete(id);
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("the client left"));
      news[Symbol.dispose]();
      contentNews[Symbol.dispose]();
      if (hasListed) (await following().catch(() => undefined))?.[Symbol.dispose]();
      const one = await opening?.catch(() => undefined);
      await one?.session[Symbol.asyncDispose]();
    },
  };
}

const absentModel: AuxiliaryModel = { complete: async () => err({ message: "The client has no model for this." }) };

/** Maximum number of parallel calls of a client; additional calls fail. */
const maxCalls = 64;
