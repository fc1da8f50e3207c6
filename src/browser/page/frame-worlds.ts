import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/result.ts";
import { CdpError, type CdpSession } from "../cdp/connection.ts";
import type { Tab } from "../sessions/tab.ts";
import { installSource, type PageProgram, worldName } from "./in-page/program.ts";

/** The isolated world of one document in one frame. A navigation creates a new one. */
export interface FrameWorld {
  readonly key: string;
  readonly frameId: string;
  readonly session: CdpSession;
  readonly contextId: number;
  /** The parent frame, and the number of this frame's element in it. */
  readonly owner?: { readonly world: FrameWorld; readonly number: number };
}

type Returned<T> = T extends (...args: never) => infer R ? Awaited<R> : never;

/** Thrown when the document no longer exists or the page is navigating. */
export class WorldGone extends Error {}

export interface FrameWorlds {
  /** The world of the document that the tab shows now. */
  main(): Promise<FrameWorld>;
  /** The world inside a frame element. Undefined if the frame has no readable document. */
  inside(world: FrameWorld, number: number): Promise<FrameWorld | undefined>;
  /** Calls the program in the page. Rejects with `WorldGone` if the document no longer exists. */
  call<N extends keyof PageProgram>(
    world: FrameWorld,
    name: N,
    args: readonly unknown[],
    timeoutMs?: number,
  ): Promise<Returned<PageProgram[N]>>;
  /** An element for protocol commands. Undefined if it no longer exists. */
  handle(world: FrameWorld, number: number): Promise<string | undefined>;
}

export function createFrameWorlds(tab: Tab, clock: Clock): FrameWorlds {
  const worlds = new Map<string, FrameWorld>();
  const frameIds = new Map<string, string>();
  /** The main world, from the start of its document until another one replaces it. */
  let shown: Promise<FrameWorld> | undefined;
  /** The world that the browser created together with the main document, with our program in it. */
  let prepared: number | undefined;
  /** A new document has started, but the browser has not reported its world yet. */
  let onPrepared: PromiseWithResolvers<void> | undefined;
  let entering = 0;
  tab.main.on("Page.frameNavigated", ({ frame }) => {
    const { parentId } = frame as { readonly parentId?: string };
    if (parentId !== undefined) return;
    shown = undefined;
    if (prepared === undefined) onPrepared ??= Promise.withResolvers();
  });
  tab.main.on("Runtime.executionContextsCleared", () => {
    prepared = undefined;
    shown = undefined;
  });
  tab.main.on("Runtime.executionContextCreated", ({ context }) => {
    const { id, name, auxData } = context as CreatedContext;
    // A world that was requested here does not contain the program yet.
    if (name !== worldName || auxData?.frameId !== tab.id || entering > 0) return;
    prepared = id;
    shown = undefined;
    onPrepared?.resolve();
    onPrepared = undefined;
  });
  // A page that is closing needs no world.
  tab.main.send("Page.addScriptToEvaluateOnNewDocument", { source: installSource(), worldName }).catch(() => undefined);

  /** After any document was replaced, the main world is looked up again. */
  async function ask<T>(session: CdpSession, method: string, params: object, timeoutMs?: number): Promise<T> {
    try {
      return await session.send<T>(method, { ...params }, timeoutMs);
    } catch (thrown) {
      if (thrown instanceof CdpError && isGone(thrown.message)) throw forget(reasonOf(thrown));
      throw thrown;
    }
  }

  function forget(reason: string): WorldGone {
    shown = undefined;
    prepared = undefined;
    return new WorldGone(reason);
  }

  /** The browser returns the same context for the same document, so a stale one is noticed here. */
  async function enter(frameId: string, session: CdpSession, owner?: FrameWorld["owner"]): Promise<FrameWorld> {
    entering += 1;
    const { executionContextId: contextId } = await ask<{ executionContextId: number }>(
      session,
      "Page.createIsolatedWorld",
      { frameId, worldName },
    ).finally(() => (entering -= 1));
    const cached = worlds.get(frameId);
    if (cached && cached.contextId === contextId && cached.session.id === session.id) return cached;
    const installed = await ask<{ exceptionDetails?: unknown }>(session, "Runtime.evaluate", {
      contextId,
      expression: `${installSource()};0`,
    });
    if (installed.exceptionDetails)
      throw new Error(`the page reader does not run in this page: ${thrownText(installed)}`);
    return keep(frameId, session, contextId, owner);
  }

  function keep(frameId: string, session: CdpSession, contextId: number, owner?: FrameWorld["owner"]): FrameWorld {
    const key = `${session.id}/${frameId}/${contextId}`;
    const world = { key, frameId, session, contextId, ...(owner && { owner }) };
    worlds.set(frameId, world);
    return world;
  }

  async function enterMain(): Promise<FrameWorld> {
    if (onPrepared) {
      const { promise, resolve } = onPrepared;
      using _limit = clock.after(maxPrepareMs, resolve);
      await promise;
      onPrepared = undefined;
    }
    if (prepared === undefined) return enter(tab.id, tab.main);
    const cached = worlds.get(tab.id);
    return cached?.contextId === prepared ? cached : keep(tab.id, tab.main, prepared);
  }

  async function handle(world: FrameWorld, number: number): Promise<string | undefined> {
    const { result } = await ask<{ result: { objectId?: string; subtype?: string } }>(
      world.session,
      "Runtime.evaluate",
      {
        contextId: world.contextId,
        expression: `globalThis[${JSON.stringify(worldName)}].element(${number})`,
        objectGroup: worldName,
      },
    );
    return result.subtype === "node" ? result.objectId : undefined;
  }

  return {
    async main() {
      const mine = (shown ??= enterMain());
      try {
        return await mine;
      } catch (thrown) {
        if (shown === mine) shown = undefined;
        throw thrown;
      }
    },
    handle,
    async inside(world, number) {
      const key = `${world.key}#${number}`;
      let frameId = frameIds.get(key);
      if (frameId === undefined) {
        const objectId = await handle(world, number);
        if (objectId === undefined) return undefined;
        const { node } = await ask<{ node: { frameId?: string } }>(world.session, "DOM.describeNode", {
          objectId,
        });
        frameId = node.frameId;
        if (frameId === undefined) return undefined;
        frameIds.set(key, frameId);
      }
      const apart = tab.frames().find((frame) => frame.frameId === frameId);
      try {
        return await enter(frameId, apart?.session ?? world.session, { world, number });
      } catch {
        // A frame that is just loading or closing has no content yet.
        return undefined;
      }
    },
    async call(world, name, args, timeoutMs) {
      const answer = await ask<{ result: { value?: string | null }; exceptionDetails?: unknown }>(
        world.session,
        "Runtime.callFunctionOn",
        {
          executionContextId: world.contextId,
          functionDeclaration: caller,
          arguments: [{ value: worldName }, { value: name }, { value: args }],
          returnByValue: true,
          awaitPromise: true,
        },
        timeoutMs,
      );
      if (answer.exceptionDetails) throw new Error(thrownText(answer));
      const { value } = answer.result;
      if (value === null) throw forget("the page was replaced");
      // The cast is safe: the program returns the declared type.
      return (value === undefined ? undefined : JSON.parse(value)) as Returned<PageProgram[typeof name]>;
    },
  };
}

/** Some documents get no world automatically, such as those that the browser cached for going back. */
const maxPrepareMs = 200;

interface CreatedContext {
  readonly id: number;
  readonly name?: string;
  readonly auxData?: { readonly frameId?: string };
}

/** Null means that another document has this context now. */
const caller = `async function (world, name, args) {
  const program = globalThis[world];
  return program ? JSON.stringify(await program[name](...args)) : null;
}`;

function isGone(message: string): boolean {
  return /context|navigat|No frame|Inspected target|not attached|frame with given id/iu.test(message);
}

function thrownText({ exceptionDetails }: { readonly exceptionDetails?: unknown }): string {
  const details = exceptionDetails as { text?: string; exception?: { description?: string } } | undefined;
  return (details?.exception?.description ?? details?.text ?? "an error in the page").split("\n")[0] ?? "";
}
