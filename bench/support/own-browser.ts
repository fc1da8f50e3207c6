import { systemClock } from "../../src/base/clock.ts";
import { createPageBrowser } from "../../src/browser/page/page-browser.ts";
import { keepUpload } from "../../src/browser/sessions/keep-upload.ts";
import type { Browser, BrowserRequest } from "../../src/contracts/web/browser.ts";
import { guardedBrowser } from "../../test/support/guarded-browser.ts";
import type { Target } from "./browser-tasks.ts";
import { isKind, type TaskBrowser } from "./task-browser.ts";

const { signal } = new AbortController();

/** Matches `button "Save" @e4`, `links "Home" @e5, "Help" @e6`, and elements with text only: `clickable @e4 Save`. */
function findInOutline(text: string, { kind, name }: Target): string | undefined {
  const matches: { readonly ref: string; readonly isExact: boolean }[] = [];
  for (const [, role = "", group = ""] of text.matchAll(
    /([\w-]+) ("[^"\n]*" @e\d+(?:(?: \[[\w ]*\])?, "[^"\n]*" @e\d+)*)/gu,
  )) {
    const [, single = role] =
      /^(link|button|option|radio|checkbox|menuitem|tab|textbox|date)(?:s|es)$/u.exec(role) ?? [];
    for (const [, label = "", ref = ""] of group.matchAll(/"([^"\n]*)" (@e\d+)/gu))
      if (isKind(single, kind) && label.startsWith(name)) matches.push({ ref, isExact: label === name });
  }
  if (kind === "any" || kind === "field")
    for (const [, ref = "", label = ""] of text.matchAll(/(@e\d+)(?: = "[^"\n]*")?(?: \[[^\]\n]*\])?:? ([^\n·|]*)/gu))
      if (label.startsWith(name)) matches.push({ ref, isExact: label.trim() === name });
  return (matches.find(({ isExact }) => isExact) ?? matches[0])?.ref;
}

export interface OwnBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

/** Opens the browser of a conversation, with its address filter. */
export async function openOwnBrowser(): Promise<OwnBrowser> {
  const guarded = await guardedBrowser();
  const browser = createPageBrowser({
    session: guarded.session,
    async keepUpload(name, bytes) {
      const place = guarded.session.uploads();
      if (!place) throw new Error("no browser is open");
      return keepUpload(place, name, bytes);
    },
    clock: systemClock,
    commandMs: 30_000,
    evaluate: { isRestricted: false },
  });
  return { browser, [Symbol.asyncDispose]: () => guarded[Symbol.asyncDispose]() };
}

/** Our browser, driven by its tools. `isFull`: a full snapshot after each action instead of the changes. */
export async function ownTaskBrowser(origin: string, { isFull }: { readonly isFull: boolean }): Promise<TaskBrowser> {
  const opened = await openOwnBrowser();
  const call = async (request: BrowserRequest): Promise<string> => {
    const answered = await opened.browser.run(request, signal);
    return answered.ok ? answered.value.text : `Error: ${answered.error.message}`;
  };
  const full = () => call({ do: "snapshot", isFull: true });
  return {
    async act(step, refOf) {
      const answer = await call(await requestFor(step, refOf, origin));
      return isFull && step.do !== "dialog" && !/dialog/iu.test(answer) ? full() : answer;
    },
    readAll: full,
    find: findInOutline,
    async reset() {
      await call({ do: "close" });
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
    },
  };
}

type RefOf = Parameters<TaskBrowser["act"]>[1];

async function requestFor(
  step: Parameters<TaskBrowser["act"]>[0],
  refOf: RefOf,
  origin: string,
): Promise<BrowserRequest> {
  switch (step.do) {
    case "open":
      return { do: "navigate", url: `${origin}${step.path}` };
    case "click":
      return { do: "click", ref: await refOf(step.on) };
    case "type":
      return { do: "type", ref: await refOf(step.on), text: step.text, ...(step.submits && { isSubmitted: true }) };
    case "fill": {
      const fields = [];
      for (const [name, value] of step.fields) fields.push({ ref: await refOf({ kind: "field", name }), value });
      return { do: "fill", fields, submit: await refOf({ kind: "button", name: step.submit }) };
    }
    case "select":
      return { do: "select", ref: await refOf(step.on), options: [step.option] };
    case "scroll":
      return { do: "scroll", direction: "bottom" };
    case "back":
      return { do: "back" };
    case "dialog":
      return { do: "dialog", isAccepted: step.accepts, ...(step.text !== undefined && { text: step.text }) };
    case "hover":
      return { do: "hover", ref: await refOf(step.on) };
    case "upload":
      return { do: "upload", ref: await refOf(step.on), files: [{ name: step.name, bytes: Buffer.from(step.text) }] };
    case "download":
      return { do: "download", ref: await refOf(step.on), timeoutMs: 20_000 };
    case "first_tab":
      return { do: "switch_tab", tab: "t1" };
  }
}
