import type { JsonObject, JsonValue } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { BrowserAnswer, BrowserFault, BrowserRequest, PagePicture } from "../../contracts/web/browser.ts";
import type { CdpSession } from "../cdp/connection.ts";
import { evaluateRefusal } from "./evaluate-rules.ts";
import type { FrameWorld } from "./frame-worlds.ts";
import type { ConsoleMessage } from "./page-console.ts";
import type { PageSession } from "./page-session.ts";
import { type PageItem, usableRoles } from "./text/page-tree.ts";

export type InspectRequest = Extract<
  BrowserRequest,
  { readonly do: "snapshot" | "pdf" | "images" | "picture" | "console" | "evaluate" | "cdp" }
>;

export interface EvaluateRules {
  /** Allows only expressions that neither change nor send anything. */
  readonly isRestricted: boolean;
}

export interface InspectSurroundings {
  readonly messages: (isCleared: boolean) => readonly ConsoleMessage[];
  readonly rules: EvaluateRules;
  readonly signal: AbortSignal;
}

type Answer = Result<BrowserAnswer, BrowserFault>;

export async function inspectPage(
  session: PageSession,
  request: InspectRequest,
  { messages: messagesOf, rules, signal }: InspectSurroundings,
): Promise<Answer> {
  const { tab } = session;
  const isReading = request.do === "snapshot" || request.do === "console" || request.do === "cdp";
  const [dialog] = tab.dialogs();
  if (dialog && !isReading)
    return err({ kind: "refused", message: `A ${dialog.type} dialog is open: answer it with browser_dialog first.` });
  switch (request.do) {
    case "snapshot": {
      const answer = await session.snapshot(request, signal);
      if (answer) return ok(answer);
      return err({
        kind: "gone",
        message: `${request.ref} is not on the page now. browser_snapshot without ref shows what is.`,
      });
    }
    case "images": {
      const images = await session.reader.worlds.call(await session.reader.worlds.main(), "images", []);
      const lines = images.map(
        ({ src, alt, width, height }) =>
          `${shortSource(src)} ${width}x${height}${alt ? ` ${JSON.stringify(alt)}` : ""}`,
      );
      const list = images.map((image) => ({ ...image, src: shortSource(image.src) }));
      return ok({
        text: lines.length === 0 ? "No images." : lines.join("\n"),
        data: { success: true, images: list, count: list.length },
      });
    }
    case "pdf": {
      const { data } = await tab.main.send<{ data: string }>(
        "Page.printToPDF",
        { printBackground: true, preferCSSPageSize: true },
        longMs,
      );
      const bytes = Buffer.from(data, "base64");
      return ok({ text: `${bytes.length} bytes`, file: { name: "page.pdf", bytes } });
    }
    case "picture":
      return picture(session, request);
    case "console": {
      const messages = messagesOf(request.isCleared);
      const lines = messages.map(
        ({ kind, text, url, line }) =>
          `[${kind}] ${text.slice(0, 500)}${url ? ` (${url}${line === undefined ? "" : `:${line}`})` : ""}`,
      );
      const errors = messages.filter(({ kind }) => kind === "error" || kind === "exception").length;
      const list = messages.map(({ kind, text, url, line }): JsonObject => ({
        kind,
        text,
        ...(url !== undefined && { url }),
        ...(line !== undefined && { line }),
      }));
      return ok({
        text: lines.length === 0 ? "The console is empty." : lines.join("\n"),
        data: { success: true, messages: list, errors },
      });
    }
    case "evaluate":
      session.reader.noteScript();
      return evaluate(session, request.expression, rules);
    case "cdp":
      session.reader.noteScript();
      return protocolCommand(session, request);
  }
}

const longMs = 60_000;

function shortSource(src: string): string {
  return src.startsWith("data:") ? `${src.slice(0, 40)}…` : src.slice(0, 500);
}

async function evaluate({ tab }: PageSession, expression: string, { isRestricted }: EvaluateRules): Promise<Answer> {
  const refusal = isRestricted ? evaluateRefusal(expression) : undefined;
  if (refusal !== undefined) return err({ kind: "refused", message: refusal });
  const { result, exceptionDetails } = await tab.main.send<EvaluatedValue>("Runtime.evaluate", {
    expression,
    returnByValue: true,
    awaitPromise: true,
    replMode: true,
    userGesture: !isRestricted,
    throwOnSideEffect: isRestricted,
    timeout: 10_000,
  });
  if (exceptionDetails) {
    const text = (exceptionDetails.exception?.description ?? exceptionDetails.text).slice(0, 2000);
    const hint = /side.?effect/iu.test(text)
      ? " browser.restrict_evaluate allows only expressions that change nothing."
      : "";
    return err({ kind: "failed", message: `The expression threw: ${text}${hint}`, isActed: true });
  }
  const value = result.value ?? result.unserializableValue ?? result.description ?? null;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 1);
  return ok({ text, data: { success: true, result: value } });
}

interface EvaluatedValue {
  readonly result: { readonly value?: JsonValue; readonly unserializableValue?: string; readonly description?: string };
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
}

async function protocolCommand(
  { tab }: PageSession,
  { method, params, target, timeoutMs }: Extract<InspectRequest, { do: "cdp" }>,
): Promise<Answer> {
  const frame =
    target === undefined || target === tab.id ? undefined : tab.frames().find(({ frameId }) => frameId === target);
  if (target !== undefined && target !== tab.id && !frame)
    return err({
      kind: "invalid",
      message: `There is no frame ${target} with a session of its own. Frames: ${
        tab
          .frames()
          .map(({ frameId, url }) => `${frameId} <${url}>`)
          .join(", ") || "none"
      }`,
    });
  const session: CdpSession = frame?.session ?? tab.main;
  try {
    const result = await session.send<JsonObject>(method, params, timeoutMs);
    return ok({ text: JSON.stringify(result), data: { success: true, result } });
  } catch (thrown) {
    return err({ kind: "failed", message: `${method}: ${reasonOf(thrown)}`, isActed: true });
  }
}

async function picture(
  session: PageSession,
  { isAnnotated, isWholePage = false, ref }: Extract<InspectRequest, { do: "picture" }>,
): Promise<Answer> {
  const { tab, reader, pointing } = session;
  let clip: JsonObject | undefined;
  if (ref !== undefined) {
    const target = await pointing.find(ref);
    if (!target.ok) return target;
    const { world, local } = target.value;
    if (world.owner)
      return err({
        kind: "unsupported",
        message: "A picture of an element inside a frame is not possible: leave ref out.",
      });
    await reader.worlds.call(world, "scrollTo", [local]);
    const [entry] = await reader.worlds.call(world, "boxes", [[local]]);
    if (!entry) return err({ kind: "outside", message: `${target.value.words} has no box to show.` });
    const { top, left, width, height } = entry.box;
    const { cssVisualViewport: view } = await tab.main.send<{ cssVisualViewport: { pageX: number; pageY: number } }>(
      "Page.getLayoutMetrics",
    );
    clip = { x: left + view.pageX, y: top + view.pageY, width, height, scale: 1 };
  }
  const marks = isAnnotated ? await markPage(session) : [];
  try {
    const { data } = await tab.main.send<{ data: string }>(
      "Page.captureScreenshot",
      { format: "png", captureBeyondViewport: isWholePage || clip !== undefined, ...(clip && { clip }) },
      longMs,
    );
    const image: PagePicture = { mimeType: "image/png", data };
    const list = marks.length === 0 ? "" : `\nMarks: ${marks.join(", ")}`;
    return ok({
      text: `Picture of ${tab.url}${list}`,
      picture: image,
      data: { success: true, url: tab.url, marks: [...marks] },
    });
  } finally {
    if (isAnnotated) await reader.worlds.call(await reader.worlds.main(), "mark", [[]]).catch(() => undefined);
  }
}

/** Draws a numbered box around each usable element in view, and describes the elements in words. */
async function markPage({ reader }: PageSession): Promise<readonly string[]> {
  const tree = await reader.read();
  const main = await reader.worlds.main();
  const usable = usableRefs(tree.items);
  const byWorld = new Map<FrameWorld, { readonly number: number; readonly local: number }[]>();
  for (const number of usable) {
    const entry = reader.refs.find(number);
    if (entry.how !== "found") continue;
    const { world, local } = entry.element;
    byWorld.set(world, [...(byWorld.get(world) ?? []), { number, local }]);
  }
  const boxes: { label: string; left: number; top: number; width: number; height: number }[] = [];
  const names: string[] = [];
  for (const [world, elements] of byWorld) {
    const places = await reader.worlds.call(world, "boxes", [elements.map(({ local }) => local)]);
    for (const { number: local, box } of places) {
      const number = elements.find((element) => element.local === local)?.number ?? 0;
      const corner = await cornerOf(reader, world, box.left, box.top);
      if (!corner || boxes.length >= maxMarks) continue;
      boxes.push({ label: `e${number}`, ...corner, width: box.width, height: box.height });
      const entry = reader.refs.find(number);
      if (entry.how === "found")
        names.push(`@e${number} ${entry.element.role} ${JSON.stringify(entry.element.name.slice(0, 40))}`);
    }
  }
  await reader.worlds.call(main, "mark", [boxes]);
  return names;
}

const maxMarks = 150;

/** A point of a frame in coordinates of the page. */
async function cornerOf(
  reader: PageSession["reader"],
  world: FrameWorld,
  left: number,
  top: number,
): Promise<{ left: number; top: number } | undefined> {
  let [frame, x, y] = [world, left, top];
  while (frame.owner) {
    const spot = await reader.worlds.call(frame.owner.world, "fromFrame", [frame.owner.number, x, y]);
    if (spot.how !== "found") return undefined;
    [frame, x, y] = [frame.owner.world, spot.x, spot.y];
  }
  return { left: x, top: y };
}

function usableRefs(items: readonly PageItem[]): readonly number[] {
  return items.flatMap((item) => {
    if (typeof item === "string") return [];
    const own = item.ref !== undefined && usableRoles.has(item.role) ? [item.ref] : [];
    return [...own, ...usableRefs(item.items ?? [])];
  });
}
