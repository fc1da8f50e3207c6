import { registerHooks } from "node:module";

/**
 * Lets tools and plugins in the user's home import `hermes-agent-ts/plugin` without installing it. They get this build,
 * so that each contract exists once. Other imports are not affected.
 */
export function offerPluginEntry(): Disposable {
  const isSource = import.meta.filename.endsWith(".ts");
  const entry = (name: string) => new URL(isSource ? `../../${name}.ts` : `../${name}.js`, import.meta.url).href;
  const entries: ReadonlyMap<string, string> = new Map([
    ["hermes-agent-ts", entry("index")],
    ["hermes-agent-ts/plugin", entry("plugin")],
  ]);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const url = entries.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
  return { [Symbol.dispose]: () => hooks.deregister() };
}
