import { parentPort, workerData } from "node:worker_threads";

export const documentThread = {
  /** Where this module is, so that a thread can be started with it, from source and from a bundle alike. */
  module: import.meta.url,

  async run(): Promise<void> {
    const { extractDocument } = await import("./extract-document.ts");
    // `documentText` sets it.
    const { bytes } = workerData as { readonly bytes: Uint8Array };
    parentPort?.postMessage(await extractDocument(bytes));
  },
};
