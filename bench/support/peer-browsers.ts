import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

import { headlessShell } from "../../test/support/cloud-browser-server.ts";
import type { Target } from "./browser-tasks.ts";
import { isKind, type TaskBrowser } from "./task-browser.ts";

const run = promisify(execFile);
export const peerArguments = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** Matches `- button "Save" [ref=e4] [cursor=pointer]`, the format of playwright and agent-browser. */
function findInTree(text: string, { kind, name }: Target): string | undefined {
  const matches: { readonly ref: string; readonly isExact: boolean }[] = [];
  for (const line of text.split("\n")) {
    const [, role = "", label] = /^\s*- (?:'|)([\w-]+)(?: "((?:[^"\\]|\\.)*)")?/u.exec(line) ?? [];
    const ref = /ref=(\w+)/u.exec(line)?.[1];
    const text = (label ?? /: "?([^"]*)"?$/u.exec(line)?.[1] ?? "").trim();
    if (ref !== undefined && isKind(role, kind) && text.startsWith(name)) matches.push({ ref, isExact: text === name });
  }
  return (matches.find(({ isExact }) => isExact) ?? matches[0])?.ref;
}

/** playwright-core with a whole `ariaSnapshot({mode: "ai"})` after each action. */
export async function playwrightBrowser(folder: string, origin: string): Promise<TaskBrowser> {
  const { chromium } = createRequire(join(folder, "x.js"))("playwright-core");
  const browser = await chromium.launch({ executablePath: headlessShell, args: peerArguments });
  let context = await browser.newContext();
  let page = await context.newPage();
  let dialog: { accept(text?: string): Promise<void>; dismiss(): Promise<void>; message(): string } | undefined;
  const watch = (opened: typeof page) => {
    page = opened;
    opened.on("dialog", (shown: typeof dialog) => (dialog = shown));
  };
  const prepare = () => {
    watch(page);
    context.on("page", watch);
  };
  prepare();
  const settle = () => new Promise((resolve) => setTimeout(resolve, 300));
  const snapshot = async (): Promise<string> => {
    await settle();
    if (dialog) return `dialog: ${dialog.message()}`;
    await page.waitForLoadState("load").catch(() => {});
    return page.ariaSnapshot({ mode: "ai" });
  };
  const locate = (ref: string) => page.locator(`aria-ref=${ref}`);
  const set = async (ref: string, value: string | boolean) => {
    if (value === true) return locate(ref).check();
    const isSelect = await locate(ref).evaluate(
      (element: { readonly tagName: string }) => element.tagName === "SELECT",
    );
    return isSelect ? locate(ref).selectOption(value) : locate(ref).fill(value);
  };
  return {
    async act(step, refOf) {
      switch (step.do) {
        case "open":
          await page.goto(`${origin}${step.path}`, { waitUntil: "domcontentloaded" });
          break;
        case "click":
          // A click that opens a dialog does not return before the dialog is answered.
          await Promise.race([locate(await refOf(step.on)).click(), settle().then(settle)]);
          break;
        case "download":
          await locate(await refOf(step.on)).click();
          break;
        case "type": {
          const ref = await refOf(step.on);
          await locate(ref).fill(step.text);
          if (step.submits) await locate(ref).press("Enter");
          break;
        }
        case "fill":
          for (const [name, value] of step.fields) await set(await refOf({ kind: "field", name }), value);
          await locate(await refOf({ kind: "button", name: step.submit })).click();
          break;
        case "select":
          await locate(await refOf(step.on)).selectOption(step.option);
          break;
        case "scroll":
          await page.mouse.wheel(0, 4000);
          break;
        case "back":
          await page.goBack();
          break;
        case "dialog": {
          const shown = dialog;
          dialog = undefined;
          await (step.accepts ? shown?.accept(step.text) : shown?.dismiss());
          break;
        }
        case "hover":
          await locate(await refOf(step.on)).hover();
          break;
        case "upload":
          await locate(await refOf(step.on)).setInputFiles({
            name: step.name,
            mimeType: "text/plain",
            buffer: Buffer.from(step.text),
          });
          break;
        case "first_tab":
          page = context.pages()[0];
          break;
      }
      return snapshot();
    },
    readAll: snapshot,
    find: findInTree,
    async reset() {
      dialog = undefined;
      await context.close();
      context = await browser.newContext();
      page = await context.newPage();
      prepare();
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** agent-browser, which the original Hermes uses, with `snapshot -i` after each action. */
export async function agentBrowser(
  folder: string,
  origin: string,
  session: string,
  scratch: string,
): Promise<TaskBrowser> {
  const program = join(folder, "agent-browser", "bin", "agent-browser.js");
  // Every command gets the flags: later commands ignore those that only `open` got.
  const env = {
    ...process.env,
    AGENT_BROWSER_ARGS: peerArguments.join(","),
    AGENT_BROWSER_EXECUTABLE_PATH: headlessShell,
    AGENT_BROWSER_SESSION: session,
    AGENT_BROWSER_SOCKET_DIR: scratch,
  };
  const call = async (...args: string[]): Promise<string> => {
    try {
      const { stdout, stderr } = await run(process.execPath, [program, ...args], {
        env,
        timeout: 40_000,
        maxBuffer: 50_000_000,
      });
      return `${stdout}${stderr}`;
    } catch (thrown) {
      const { stdout = "", stderr = "" } = thrown as { stdout?: string; stderr?: string };
      if (stdout === "" && stderr === "") throw thrown;
      return `${stdout}${stderr}`;
    }
  };
  const settle = () => new Promise((resolve) => setTimeout(resolve, 300));
  const snapshot = async () => {
    await settle();
    return call("snapshot", "-i");
  };
  return {
    async act(step, refOf) {
      const ref = async (target: Target) => `@${await refOf(target)}`;
      const outputs: string[] = [];
      const say = async (...args: string[]) => void outputs.push(await call(...args));
      switch (step.do) {
        case "open":
          await say("open", `${origin}${step.path}`);
          break;
        case "click":
        case "download":
          await say("click", await ref(step.on));
          break;
        case "type":
          await say("fill", await ref(step.on), step.text);
          if (step.submits) await say("press", "Enter");
          break;
        case "fill":
          for (const [name, value] of step.fields) {
            const target = await ref({ kind: "field", name });
            if (value === true) await say("check", target);
            else if (["Country", "Room"].includes(name)) await say("select", target, String(value));
            else await say("fill", target, String(value));
          }
          await say("click", await ref({ kind: "button", name: step.submit }));
          break;
        case "select":
          await say("select", await ref(step.on), step.option);
          break;
        case "scroll":
          await say("scroll", "down", "4000");
          break;
        case "back":
          await say("back");
          break;
        case "dialog":
          await say("dialog", step.accepts ? "accept" : "dismiss", ...(step.text === undefined ? [] : [step.text]));
          break;
        case "hover":
          await say("hover", await ref(step.on));
          break;
        case "upload": {
          const file = join(scratch, step.name);
          await writeFile(file, step.text);
          await say("upload", await ref(step.on), file);
          break;
        }
        case "first_tab":
          await say("tab", "t1");
          break;
      }
      return `${outputs.join("")}${await snapshot()}`;
    },
    // `snapshot -i` lists only interactive elements, so the text needs a full snapshot.
    readAll: () => call("snapshot"),
    find: findInTree,
    async reset() {
      await call("cookies", "clear");
      await call("close");
    },
    async [Symbol.asyncDispose]() {
      await call("close");
    },
  };
}
