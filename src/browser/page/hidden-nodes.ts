import type { FrameWorld, FrameWorlds } from "./frame-worlds.ts";
import { worldName } from "./in-page/program.ts";

/** Finds nodes that no script in the page can find: elements with click listeners, and closed shadow trees. */
export interface HiddenNodes {
  /** Prepares for listing the listeners of this document, so that `noteListeners` needs one request less. */
  prepare(world: FrameWorld): void;
  /**
   * Reports listeners to the program in this world. Returns true if a walk would now find more elements. Never
   * rejects.
   */
  noteListeners(world: FrameWorld): Promise<boolean>;
  /** Does the same for closed shadow trees of these elements. */
  noteClosedRoots(world: FrameWorld, hosts: readonly number[]): Promise<boolean>;
}

export function createHiddenNodes(worlds: FrameWorlds): HiddenNodes {
  const documents = new Map<string, KnownDocument>();
  /** Searches run one after another, because they share the object of the document. */
  let last: Promise<unknown> = Promise.resolve();

  function documentOf({ key, session }: FrameWorld): KnownDocument {
    const cached = documents.get(key);
    if (cached) return cached;
    if (documents.size >= maxDocuments) documents.clear();
    const fresh = { object: askDocument(session), noted: new Set<number>() };
    documents.set(key, fresh);
    return fresh;
  }

  async function listListeners(world: FrameWorld): Promise<boolean> {
    const { session } = world;
    // The browser lists listeners of the requesting world, and the page's listeners are in the page's own world.
    if (world.owner && world.owner.world.session === session) return false;
    const document = documentOf(world);
    const objectId = await document.object;
    const { listeners } = await session.send<{ listeners: readonly Listener[] }>("DOMDebugger.getEventListeners", {
      objectId,
      depth: -1,
    });
    // The answer contains an object for each listener, in the object group of the document.
    void session.send("Runtime.releaseObjectGroup", { objectGroup: documentGroup }).catch(() => undefined);
    document.object = askDocument(session);
    const fresh = new Set(
      listeners.flatMap(({ type, backendNodeId }) =>
        clicks.has(type) && backendNodeId !== undefined && !document.noted.has(backendNodeId) ? [backendNodeId] : [],
      ),
    );
    const elements = await Promise.all(
      [...fresh].slice(0, maxListeners).map(async (backendNodeId) => {
        document.noted.add(backendNodeId);
        return resolveNode(world, backendNodeId);
      }),
    );
    return elements.length > 0 && tell(world, "noteListeners", elements);
  }

  async function noteRoot(world: FrameWorld, number: number): Promise<boolean> {
    const objectId = await worlds.handle(world, number);
    if (objectId === undefined) return false;
    const about = { objectId, depth: 0, pierce: true };
    const { node } = await world.session.send<Described>("DOM.describeNode", about);
    const [root] = node.shadowRoots ?? [];
    return (
      root !== undefined && tell(world, "noteClosedRoot", [objectId, await resolveNode(world, root.backendNodeId)])
    );
  }

  async function resolveNode({ session, contextId }: FrameWorld, backendNodeId: number): Promise<string | undefined> {
    const place = { backendNodeId, executionContextId: contextId, objectGroup: worldName };
    const { object } = await session.send<{ object: { objectId?: string } }>("DOM.resolveNode", place);
    return object.objectId;
  }

  /** Passes nodes to the program, and returns its answer. */
  async function tell(
    { session, contextId }: FrameWorld,
    name: "noteListeners" | "noteClosedRoot",
    objects: readonly (string | undefined)[],
  ): Promise<boolean> {
    const { result } = await session.send<{ result: { value?: unknown } }>("Runtime.callFunctionOn", {
      executionContextId: contextId,
      functionDeclaration: "function (world, name, ...nodes) { return globalThis[world][name](...nodes); }",
      arguments: [{ value: worldName }, { value: name }, ...objects.map((objectId) => ({ objectId }))],
      returnByValue: true,
    });
    void session.send("Runtime.releaseObjectGroup", { objectGroup: worldName }).catch(() => undefined);
    return result.value === true;
  }

  return {
    prepare: (world) => void documentOf(world),
    async noteListeners(world) {
      const mine = last
        .then(() => listListeners(world))
        // A page that closes right now has none of them.
        .catch(() => {
          documents.delete(world.key);
          return false;
        });
      last = mine;
      return mine;
    },
    async noteClosedRoots(world, hosts) {
      const results = await Promise.all(hosts.map(async (number) => noteRoot(world, number).catch(() => false)));
      return results.includes(true);
    },
  };
}

function askDocument(session: FrameWorld["session"]): Promise<string | undefined> {
  const answer = session.send<Evaluated>("Runtime.evaluate", { expression: "document", objectGroup: documentGroup });
  const object = answer.then(({ result }) => result.objectId);
  // The failure is ignored here; the search that uses the result handles it.
  object.catch(() => undefined);
  return object;
}

const documentGroup = `${worldName}-document`;
const clicks: ReadonlySet<string> = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick"]);
const maxListeners = 300;
const maxDocuments = 50;

interface KnownDocument {
  object: Promise<string | undefined>;
  /** Elements that the world already knows, by the number that the browser gives them. */
  readonly noted: Set<number>;
}

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
