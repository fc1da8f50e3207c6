import { z } from "zod";

import { name, names } from "./names.ts";
import { setting } from "./setting.ts";

export const toolsets = setting(names(["hermes-cli"]), "Toolsets of a session that does not select its own.", {
  project: "within",
  safety: true,
});

export const platform_toolsets = setting(
  z.record(z.string(), setting(z.array(name), "Toolsets for this platform.", { project: "within", safety: true })),
  "Toolsets by platform (cli, telegram, api-server …); an unlisted platform uses its own preset.",
);

export const custom_toolsets = setting(
  z.record(z.string(), setting(z.array(name), "Toolsets and tools in this set.", { safety: true })),
  "Your own toolsets: a name and the toolsets or tools it includes.",
);
