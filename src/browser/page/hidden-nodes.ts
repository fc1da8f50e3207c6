import type { FrameWorld, FrameWorlds } from "./frame-worlds.ts";
import { worldName } from "./in-page/program.ts";

/** Finds what no script in the page can find: click listeners and closed shadow trees. */
export interface HiddenNodes {
  /** Passes them to the program in this world. Never rejects. */
  note(world: FrameWorld): Promise<void>;
}

export function createHiddenNodes(worlds: FrameWorlds): HiddenNodes {
  /** Elements that a world already has, by the browser's node number. */
  const noted = new Map<string, Set<number>>();

  async function noteListeners(world: FrameWorld): Promise<void> {
    const { session, contextId, key } = world;
    // The browser lists listeners of the world that asks, and those of the page are in the page's own world.
    if (world.owner && world.owner.world.session === session) return;
    const about = { expression: "document", objectGroup: worldName };
    const { result } = await session.send<Evaluated>("Runtime.evaluate", about);
    const { listeners } = await session.send<{ listeners: readonly Listener[] }>("DOMDebugger.getEventListeners", {
      objectId: result.objectId,
      depth: -1,
    });
    const before = noted.get(key) ?? new Set();
    noted.set(key, before);
    const fresh = new Set(
      listeners.flatMap(({ type, backendNodeId }) =>
        clicks.has(type) && backendNodeId !== undefined && !before.has(backendNodeId) ? [backendNodeId] : [],
      ),
    );
    await Promise.all(
      [...fresh].slice(0, maxListeners).map(async (backendNodeId) => {
        before.add(backendNodeId);
        const { object } = await session.send<{ object: { objectId?: string } }>("DOM.resolveNode", {
          backendNodeId,
          executionContextId: contextId,
          objectGroup: worldName,
        });
        await tell(world, "noteListener", [object.objectId]);
      }),
    );
  }

  async function noteClosedRoots(world: FrameWorld): Promise<void> {
    const { session, contextId } = world;
    for (const number of await worlds.call(world, "hosts", [])) {
      const objectId = await worlds.handle(world, number);
      if (objectId === undefined) continue;
      const { node } = await session.send<Described>("DOM.describeNode", { objectId, depth: 0, pierce: true });
      const [root] = node.shadowRoots ?? [];
      if (!root) continue;
      const { object } = await session.send<{ object: { objectId?: string } }>("DOM.resolveNode", {
        backendNodeId: root.backendNodeId,
        executionContextId: contextId,
        objectGroup: worldName,
      });
      await tell(world, "noteClosedRoot", [objectId, object.objectId]);
    }
  }

  async function tell(
    { session, contextId }: FrameWorld,
    name: string,
    objects: readonly (string | undefined)[],
  ): Promise<void> {
    await session.send("Runtime.callFunctionOn", {
      executionContextId: contextId,
      functionDeclaration: "function (world, name, ...nodes) { globalThis[world][name](...nodes); }",
      arguments: [{ value: worldName }, { value: name }, ...objects.map((objectId) => ({ objectId }))],
    });
  }

  return {
    async note(world) {
      // A page that is closing has none of them.
      await Promise.allSettled([noteListeners(world), noteClosedRoots(world)]);
      void world.session.send("Runtime.releaseObjectGroup", { objectGroup: worldName }).catch(() => undefined);
    },
  };
}

const clicks: ReadonlySet<string> = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick"]);
const maxListeners = 300;

interface Evaluated {
  readonly result: { readonly objectId?: string };
}

interface Listener {
  readonly type: string;
  readonly backendNodeId?: number;
}

interface Described {
  readonly node: { readonly shadowRoots?: readonly { readonly backendNodeId: number }[] };
}
