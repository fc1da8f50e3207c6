/**
 * Starts a script: node start.mjs script|names SCRIPT. The script is a module with the name of a TypeScript file, whose
 * types Hermes has removed. Other modules are found from the current folder.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [, own = "", how, path = ""] = process.argv;
const folder = pathToFileURL(own).href.replace(/[^/]*$/, "");
const script = pathToFileURL(path).href;
const tools = `${folder}hermes_tools.mjs`;
const cwd = `${pathToFileURL(process.cwd()).href}/`;

registerHooks({
  resolve(name, context, next) {
    if (name === "hermes_tools") return { url: tools, format: "module", shortCircuit: true };
    return next(name, context.parentURL === script ? { ...context, parentURL: cwd } : context);
  },
  load(url, context, next) {
    if (url !== script) return next(url, context);
    return { format: "module", source: readFileSync(path), shortCircuit: true };
  },
});
process.argv.splice(1, 3, path);
if (how === "names") Object.assign(globalThis, await import(tools));
await import(script);
