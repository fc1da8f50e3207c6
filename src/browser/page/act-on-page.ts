import { basename } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { BrowserAnswer, BrowserFault, BrowserRequest } from "../../contracts/web/browser.ts";
import type { BrowserSession } from "../sessions/browser-session.ts";
import { awaitDownload } from "./await-download.ts";
import { pressKey, readKey } from "./keys.ts";
import type { PageSession } from "./page-session.ts";
import { unlessStopped } from "./stillness.ts";
import { waitOnPage } from "./wait-on-page.ts";

/** Requests that may change the page. */
export type PageAction = Extract<
  BrowserRequest,
  {
    readonly do:
      | "click"
      | "type"
      | "fill"
      | "select"
      | "hover"
      | "press"
      | "scroll"
      | "back"
      | "upload"
      | "download"
      | "wait"
      | "dialog";
  }
>;

export interface ActSurroundings {
  readonly session: BrowserSession;
  readonly keepUpload: (name: string, bytes: Uint8Array) => Promise<string>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type Answer = Result<BrowserAnswer, BrowserFault>;

export async function actOnPage(session: PageSession, request: PageAction, around: ActSurroundings): Promise<Answer> {
  const { tab, fields, pointing } = session;
  const { clock, signal } = around;
  const [dialog] = tab.dialogs();
  if (dialog && request.do !== "dialog")
    return err({
      kind: "refused",
      message: `A ${dialog.type} dialog is open (${JSON.stringify(dialog.message.slice(0, 200))}): answer it with browser_dialog first.`,
    });
  const after = async (done: Result<string, BrowserFault>): Promise<Answer> =>
    done.ok ? ok(await session.report(done.value, signal)) : done;
  switch (request.do) {
    case "click":
    case "hover": {
      const target = await pointing.find(request.ref);
      if (!target.ok) return target;
      const spot = await pointing.point(target.value);
      if (!spot.ok) return withNow(session, spot.error, signal);
      if (request.do === "hover") {
        await pointing.hover(spot.value);
        return after(ok(`Hovering over ${target.value.words}.`));
      }
      await pointing.click(spot.value, request);
      const kind = request.isDouble ? "Double-clicked" : request.isRight ? "Right-clicked" : "Clicked";
      return after(ok(`${kind} ${target.value.words}.`));
    }
    case "type": {
      const typed = await fields.type(request.ref, request.text);
      if (!typed.ok || request.isSubmitted !== true) return after(typed);
      await press(session, "Enter", clock);
      return after(ok(`${typed.value} Pressed Enter.`));
    }
    case "select":
      return after(await fields.select(request.ref, request.options));
    case "fill":
      return fill(session, request, signal);
    case "press": {
      const isPressed = await press(session, request.key, clock);
      if (!isPressed)
        return err({
          kind: "invalid",
          message: `There is no key ${JSON.stringify(request.key)}. Examples: Enter, Escape, ArrowDown, a, Control+A.`,
        });
      return after(ok(`Pressed ${request.key}.`));
    }
    case "scroll":
      return scroll(session, request, signal);
    case "back":
      return back(session, signal);
    case "upload":
      return upload(session, request, around);
    case "download":
      return download(session, request, around);
    case "wait":
      return waitOnPage(session, request, { clock, signal });
    case "dialog": {
      const isAnswered = await tab.answerDialog(
        { isAccepted: request.isAccepted, ...(request.text !== undefined && { text: request.text }) },
        request.dialogId,
      );
      if (!isAnswered) return err({ kind: "invalid", message: "No dialog waits for an answer." });
      return after(ok(`${request.isAccepted ? "Accepted" : "Dismissed"} the dialog.`));
    }
  }
}

/** A failed action also reports the current page, if it differs from what the model saw. */
async function withNow(session: PageSession, fault: BrowserFault, signal: AbortSignal): Promise<Answer> {
  const now = await session.report("", signal, { maxMs: 1000 }).catch(() => undefined);
  const isNews = now && !now.text.includes("Nothing visible changed.");
  return err(isNews ? { ...fault, message: `${fault.message}\n${now.text}` } : fault);
}

async function press({ tab }: PageSession, key: string, clock: Clock): Promise<boolean> {
  const pressed = readKey(key);
  if (!pressed) return false;
  await unlessStopped(pressKey(tab.main, pressed), tab, clock);
  return true;
}

async function fill(
  session: PageSession,
  { fields, submit }: Extract<PageAction, { do: "fill" }>,
  signal: AbortSignal,
): Promise<Answer> {
  const done: string[] = [];
  const failed: string[] = [];
  for (const field of fields) {
    if (signal.aborted) break;
    const set = await session.fields.set(field);
    if (set.ok) done.push(set.value);
    else failed.push(set.error.message);
  }
  if (failed.length > 0) {
    const answer = await session.report(done.join("\n"), signal);
    const message = `${failed.join("\n")}\n${submit === undefined ? "" : "Nothing was submitted. "}The other fields are filled.\n${answer.text}`;
    return err({ kind: "failed", message, isActed: done.length > 0 });
  }
  if (submit !== undefined) {
    const target = await session.pointing.find(submit);
    if (!target.ok) return err({ ...target.error, isActed: true });
    const spot = await session.pointing.point(target.value);
    if (!spot.ok) return err({ ...spot.error, isActed: true });
    await session.pointing.click(spot.value);
    done.push(`Clicked ${target.value.words}.`);
  }
  const notable = done.filter((line) => !/^(?:Typed|Set|Selected|Checked|Unchecked) [^;]*$/u.test(line));
  const summary = [`Filled ${fields.length} fields.`, ...notable].join("\n");
  return ok(await session.report(summary, signal, { data: { filled: fields.length } }));
}

async function scroll(
  session: PageSession,
  { direction, ref }: Extract<PageAction, { do: "scroll" }>,
  signal: AbortSignal,
): Promise<Answer> {
  const { worlds } = session.reader;
  const target = ref === undefined ? undefined : await session.pointing.find(ref);
  if (target && !target.ok) return target;
  const spot = target?.value ?? { world: await worlds.main(), local: undefined, words: "the page" };
  if (direction === undefined) {
    if (spot.local === undefined)
      return err({ kind: "invalid", message: "Pass a direction, or the reference of an element to bring into view." });
    await worlds.call(spot.world, "scrollTo", [spot.local]);
    return ok(await session.report(`${spot.words} is in view.`, signal));
  }
  const moved = await worlds.call(spot.world, "scroll", [direction, ...(spot.local === undefined ? [] : [spot.local])]);
  const left = Math.max(0, Math.round(moved.height - moved.top - moved.view));
  const done = moved.isMoved
    ? `Scrolled ${direction}: ${left} px are below.`
    : `Nothing scrolled ${direction}: this is the end.`;
  // A page that is scrolled to its end often loads more after a moment.
  const quietMs = left === 0 && direction !== "up" && direction !== "top" ? endQuietMs : undefined;
  const data = { scrolled: moved.isMoved, below: left };
  return ok(await session.report(done, signal, { data, ...(quietMs !== undefined && { quietMs }) }));
}

const endQuietMs = 250;

async function back(session: PageSession, signal: AbortSignal): Promise<Answer> {
  const { tab } = session;
  const { currentIndex, entries } = await tab.main.send<{
    currentIndex: number;
    entries: readonly { id: number; url: string }[];
  }>("Page.getNavigationHistory");
  const entry = entries[currentIndex - 1];
  if (!entry || entry.url === "about:blank")
    return err({ kind: "refused", message: "There is no page to go back to." });
  await tab.main.send("Page.navigateToHistoryEntry", { entryId: entry.id });
  return ok(await session.report("Went back.", signal, { isReturn: true }));
}

async function upload(
  session: PageSession,
  { ref, files }: Extract<PageAction, { do: "upload" }>,
  { keepUpload, signal }: ActSurroundings,
): Promise<Answer> {
  const { tab, pointing, reader } = session;
  const paths = await Promise.all(files.map(({ name, bytes }) => keepUpload(basename(name), bytes)));
  const names = files.map(({ name }) => JSON.stringify(basename(name))).join(", ");
  const target = ref === undefined ? undefined : await pointing.find(ref);
  if (target && !target.ok) return target;
  if (target) {
    const { world, local, words } = target.value;
    const facts = await reader.worlds.call(world, "field", [local]);
    if (facts?.type === "file") {
      if (files.length > 1 && !facts.isMultiple) return err({ kind: "invalid", message: `${words} takes one file.` });
      const objectId = await reader.worlds.handle(world, local);
      await world.session.send("DOM.setFileInputFiles", { files: paths, objectId });
      return ok(await session.report(`Chose ${names} in ${words}.`, signal));
    }
    // The element may be a button that opens the page's file chooser.
    const spot = await pointing.point(target.value);
    if (!spot.ok) return spot;
    await pointing.click(spot.value);
    await session.report("", signal, { maxMs: 2000 });
  }
  const chooser = tab.fileChooser();
  if (!chooser)
    return err({
      kind: "invalid",
      message: "No file chooser is open. Pass the reference of the file field or of the button that opens it.",
      isActed: true,
    });
  if (files.length > 1 && !chooser.isMultiple)
    return err({ kind: "invalid", message: "The file chooser accepts only one file." });
  await chooser.session.send("DOM.setFileInputFiles", { files: paths, backendNodeId: chooser.backendNodeId });
  return ok(await session.report(`Chose ${names}.`, signal));
}

async function download(
  page: PageSession,
  { ref, url, timeoutMs }: Extract<PageAction, { do: "download" }>,
  { session, clock, signal }: ActSurroundings,
): Promise<Answer> {
  const { pointing, tab } = page;
  let start: () => Promise<unknown>;
  if (ref !== undefined) {
    const target = await pointing.find(ref);
    if (!target.ok) return target;
    const spot = await pointing.point(target.value);
    if (!spot.ok) return spot;
    start = () => pointing.click(spot.value);
  } else if (url !== undefined) {
    // Runs in the page, so that its cookies are sent; the guard checks the address. Chromium reports a download as
    // aborted.
    start = () => tab.navigate(url);
  } else return err({ kind: "invalid", message: "Pass the reference of the link or button, or the address." });
  const saved = await awaitDownload(session, start, { timeoutMs, signal, clock });
  if (!saved.ok) return err({ kind: "failed", message: saved.error.message, isActed: true });
  const { path, name, receivedBytes: bytes } = saved.value;
  return ok({
    text: `Downloaded ${JSON.stringify(name)} (${bytes} bytes) to ${path}. It comes from the web: do not run it.`,
    path,
    data: { success: true, path, name, bytes },
  });
}
