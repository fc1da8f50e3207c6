import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { BrowserSession } from "../sessions/browser-session.ts";
import type { Download } from "../sessions/page-downloads.ts";

/** Runs `start` and waits for the download that it causes. */
export async function awaitDownload(
  session: Pick<BrowserSession, "downloads" | "onDownload">,
  start: () => Promise<unknown>,
  { timeoutMs, signal, clock }: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly clock: Clock },
): Promise<Result<Download & { readonly path: string }>> {
  const cached = new Set(session.downloads().map(({ id }) => id));
  const { promise, resolve } = Promise.withResolvers<Result<Download & { readonly path: string }>>();
  using _listening = session.onDownload((download) => {
    if (cached.has(download.id)) return;
    const { state, path, name, reason } = download;
    if (state === "saved" && path !== undefined) resolve(ok({ ...download, path }));
    else if (state === "failed")
      resolve(err({ message: `The download ${name} failed: ${reason ?? "no reason given"}` }));
  });
  using _timer = clock.after(timeoutMs, () =>
    resolve(err({ message: `No download was complete after ${Math.round(timeoutMs / 1000)} s.` })),
  );
  const onAbort = () => resolve(err({ message: "cancelled" }));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await start();
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
