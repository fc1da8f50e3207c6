import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { UrlGuard } from "../guard/url-guard.ts";
import type { BrowserSession } from "./browser-session.ts";
import { type Download, downloadName } from "./page-downloads.ts";
import type { Tab } from "./tab.ts";

export interface ConversationTabsDeps {
  readonly session: BrowserSession;
  readonly guard: UrlGuard;
  readonly clock: Clock;
}

/** The tabs of a conversation, as its page tools use them. */
export function createConversationTabs({ session, guard, clock }: ConversationTabsDeps) {
  async function download(
    start: () => Promise<void>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Result<{ readonly path: string; readonly name: string; readonly bytes: number }>> {
    const before = new Set(session.downloads().map(({ id }) => id));
    const { promise, resolve } = Promise.withResolvers<Download>();
    using _listening = session.onDownload((one) => {
      if (!before.has(one.id) && one.state !== "running") resolve(one);
    });
    await start();
    const waited = await waitFor(promise, { ms: timeoutMs, signal, clock });
    if (waited.how !== "done") {
      const isStarted = session.downloads().some(({ id, state }) => !before.has(id) && state === "running");
      return err({ message: isStarted ? "The download has not finished yet." : "No download has started." });
    }
    const { path, name, receivedBytes, reason } = waited.value;
    if (path === undefined) return err({ message: `The download ${name} failed: ${reason ?? "no reason is known"}.` });
    return ok({ path, name, bytes: receivedBytes });
  }

  async function keepUpload(name: string, bytes: Uint8Array): Promise<string> {
    const place = session.uploads();
    if (!place) throw new Error("this browser cannot read files of this machine");
    const folder = join(place.folder, randomHex(8));
    const file = join(folder, downloadName(name));
    await mkdir(folder, { mode: 0o700 });
    await writeFile(file, bytes, { mode: 0o600, flag: "wx" });
    // The browser of root runs as another account.
    if (place.owner) for (const each of [folder, file]) await chown(each, place.owner.uid, place.owner.gid);
    return file;
  }

  return {
    current: (): Tab | undefined => session.peek(),
    open: async (_signal: AbortSignal): Promise<Result<Tab>> => session.current(),
    all: (): readonly Tab[] => session.tabs(),
    select: async (id: string): Promise<void> => void session.select(id),
    refusal: async (url: string): Promise<string | undefined> => guard.faultOf(url, "caller"),
    download,
    keepUpload,
    consoleMessages: (isCleared: boolean) => session.peek()?.consoleMessages(isCleared) ?? [],
    get ownership(): string | undefined {
      return session.facts()?.login;
    },
    takeWarnings: (): readonly string[] => session.takeNotices(),
    close: async (): Promise<void> => session.close(),
  };
}
