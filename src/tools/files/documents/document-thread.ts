import { parentPort, workerData } from "node:worker_threads";

/** The other side of `documentText`. */
export const documentThread = {
  /** Where this module is, so that a thread can be started with it, from source and from a bundle alike. */
  module: import.meta.url,

  /** The document that the thread was started with is extracted, and the answer sent. */
  async run(): Promise<void> {
    const { extractDocument } = await import("./extract-document.ts");
    // Set by the one who started this thread.
    const { bytes } = workerData as { readonly bytes: Uint8Array };
    parentPort?.postMessage(await extractDocument(bytes));
  },
};
