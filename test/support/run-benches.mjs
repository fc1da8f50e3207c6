// `node --import test/support/load-sources.mjs test/support/run-benches.mjs FILE…`: a short run of several benches in
// this process, one after another. Each of them would load the same sources.
import { pathToFileURL } from "node:url";

const files = process.argv.slice(2);
for (const file of files) {
  process.argv = [process.execPath, file, "--quick"];
  await import(pathToFileURL(file).href);
}
