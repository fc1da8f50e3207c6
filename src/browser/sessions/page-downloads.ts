import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { reasonOf, type Result } from "../../base/result.ts";
import { sizeText } from "../../base/text/size-text.ts";
import type { CdpConnection } from "../cdp/connection.ts";

export interface Download {
  readonly id: string;
  readonly url: string;
  /** The name that the site suggests, cleaned. */
  readonly name: string;
  readonly state: "running" | "saved" | "failed";
  readonly receivedBytes: number;
  /** Where it was saved; set with `saved`. */
  readonly path?: string;
  /** Why it failed. */
  readonly reason?: string;
}

export interface DownloadLimits {
  readonly maxBytes: number;
  /** The maximum for one conversation. */
  readonly maxFiles: number;
}

export interface DownloadDeps {
  readonly connection: CdpConnection;
  readonly contextId: string | undefined;
  /** The folder that the browser writes to; a file has the id of its download as its name. */
  readonly folder: string;
  readonly isOwn: (frameId: string) => boolean;
  readonly limits: DownloadLimits;
  /** Moves a finished file into the quarantine of the workspace, under a name that is free. */
  readonly save: (name: string, file: string) => Promise<Result<string>>;
  readonly note: (sentence: string) => void;
}

export interface PageDownloads extends Disposable {
  list(): readonly Download[];
  onChange(listener: (download: Download) => void): Disposable;
}

/** Follows the downloads of a conversation. */
export function followDownloads(deps: DownloadDeps): PageDownloads {
  const { connection, contextId, folder, limits, note } = deps;
  const downloads = new Map<string, Download>();
  const listeners = new Set<(download: Download) => void>();
  const held = new DisposableStack();

  function set(download: Download): void {
    downloads.set(download.id, download);
    for (const listener of listeners) listener(download);
  }

  function cancel(download: Download, reason: string): void {
    set({ ...download, state: "failed", reason });
    note(`The download ${download.name} was stopped: ${reason}.`);
    const params = { guid: download.id, ...(contextId !== undefined && { browserContextId: contextId }) };
    void connection.send("Browser.cancelDownload", params).catch(() => {});
    void rm(join(folder, download.id), { force: true }).catch(() => {});
  }

  async function finish(download: Download): Promise<void> {
    const file = join(folder, download.id);
    try {
      const { size } = statSync(file);
      if (size > limits.maxBytes) return cancel(download, `it is larger than ${sizeText(limits.maxBytes)}`);
      const saved = await deps.save(download.name, file);
      if (!saved.ok) return cancel(download, saved.error.message);
      set({ ...download, state: "saved", receivedBytes: size, path: saved.value });
      note(
        `Downloaded ${download.name} (${sizeText(size)}) to ${saved.value}. It is untrusted: nothing has checked it.`,
      );
    } catch (thrown) {
      cancel(download, reasonOf(thrown));
    } finally {
      await rm(file, { force: true }).catch(() => {});
    }
  }

  held.use(
    connection.on("Browser.downloadWillBegin", (params) => {
      const { guid = "", url = "", suggestedFilename = "", frameId = "" } = params as Partial<Record<string, string>>;
      if (!deps.isOwn(frameId)) return;
      const download: Download = {
        id: guid,
        url,
        name: downloadName(suggestedFilename),
        state: "running",
        receivedBytes: 0,
      };
      if (!/^[\w-]{1,100}$/u.test(guid)) return;
      if (downloads.size >= limits.maxFiles)
        return cancel(download, `a conversation has at most ${limits.maxFiles} downloads`);
      set(download);
    }),
  );
  held.use(
    connection.on("Browser.downloadProgress", (params) => {
      const { guid, state, receivedBytes, totalBytes } = params;
      const download = downloads.get(String(guid));
      if (download?.state !== "running") return;
      const received = Number(receivedBytes) || 0;
      if (Math.max(received, Number(totalBytes) || 0) > limits.maxBytes)
        return cancel(download, `it is larger than ${sizeText(limits.maxBytes)}`);
      if (state === "completed") return void finish({ ...download, receivedBytes: received });
      if (state === "canceled") return cancel(download, "the browser or the server ended it");
      downloads.set(download.id, { ...download, receivedBytes: received });
    }),
  );
  return {
    list: () => [...downloads.values()],
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** A plain file name: no folders, control or direction characters, no leading dot, no name that means something. */
export function downloadName(text: string): string {
  const last = text.replaceAll("\\", "/").split("/").at(-1) ?? "";
  const plain = last
    .normalize("NFC")
    // oxlint-disable-next-line no-control-regex -- they are what is removed
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff<>:"|?*]/gu, "")
    .replace(/^[.\s-]+/u, "")
    .replace(/[.\s]+$/u, "");
  const { stem, ending } = /^(?<stem>.*?)(?<ending>(?:\.[\w-]{1,16}){0,2})$/su.exec(plain)?.groups ?? {};
  const short = Array.from(stem ?? "")
    .slice(0, 100)
    .join("");
  const name = `${short}${ending ?? ""}`;
  return name === "" || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu.test(name)
    ? `download-${name}`.replace(/-$/u, "")
    : name;
}
