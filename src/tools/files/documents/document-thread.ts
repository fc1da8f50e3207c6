import { parentPort, workerData } from "node:worker_threads";

export const documentThread = {
  /** The URL of this module, with which a thread can start it from source or from a bundle. */
  module: import.meta.url,

  async run(): Promise<void> {
    const { extractDocument } = await import("./extract-document.ts");
    // Set by `documentText`.
    const { bytes } = workerData as { readonly bytes: Uint8Array };
    parentPort?.postMessage(await extractDocument(bytes));
  },
};
