import type { LoadedConfig } from "../../config/load.ts";
import { openServices } from "../services.ts";
import { createToolbox } from "./create-toolbox.ts";
import type { Toolbox, ToolboxOptions } from "./toolbox.ts";

/** A toolbox with its own services, which close with it. */
export async function openToolbox(config: LoadedConfig, options: ToolboxOptions): Promise<Toolbox> {
  const services = openServices(config, options);
  const toolbox = await createToolbox(config, services, options);
  return {
    ...toolbox,
    get diagnostics() {
      return toolbox.diagnostics;
    },
    async [Symbol.asyncDispose]() {
      await toolbox[Symbol.asyncDispose]();
      await services[Symbol.asyncDispose]();
    },
  };
}
