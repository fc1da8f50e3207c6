/**
 * Starts a script: node start.mjs script|names SCRIPT, or node start.mjs kernel. The script is a module with the name of a TypeScript file, whose
 * types Hermes has removed. Other modules are found from the current folder.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [, own = "", how, path = ""] = process.argv;
const folder = pathToFileURL(own).href.replace(/[^/]*$/, "");
const script = how === "kernel" ? `${folder}kernel.mjs` : pathToFileURL(path).href;
const tools = { url: `${folder}hermes_tools.mjs`, source: "", versions: 0 };
const cwd = `${pathToFileURL(process.cwd()).href}/`;

registerHooks({
  resolve(name, context, next) {
    if (name === "hermes_tools") return { url: tools.url, format: "module", shortCircuit: true };
    return next(name, context.parentURL === script ? { ...context, parentURL: cwd } : context);
  },
  load(url, context, next) {
    if (url === tools.url && tools.source !== "") return { format: "module", source: tools.source, shortCircuit: true };
    if (url !== script || how === "kernel") return next(url, context);
    return { format: "module", source: readFileSync(path), shortCircuit: true };
  },
});
if (how === "kernel") {
  const { rejectCalls, sendLine: send } = await import("./hermes_rpc.ts");
  const { serveKernel } = await import("./kernel.ts");
  const replaceTools = (source: string) => {
    const url = `${folder}hermes_tools.mjs?${++tools.versions}`;
    Object.assign(tools, { source, url });
  };
  const load = () => import(tools.url);
  serveKernel({ rejectCalls, send, load, replaceTools }, new URL("kernel_thread.mjs", folder).pathname);
} else {
  process.argv.splice(1, 3, path);
  if (how === "names") Object.assign(globalThis, await import(tools.url));
  await import(script);
}
