import { z } from "zod";

import { setting } from "./setting.ts";

const paths = () => z.array(z.string().min(1).max(4_096)).default([]);

export const isolation = setting(
  z.strictObject({
    mode: setting(
      z.enum(["on", "auto", "off"]).default("auto"),
      "Local commands that no person approved run in a sandbox (bubblewrap, Linux): the workspace, temporary folders and caches of package managers can be written, the rest only read, keys and Hermes' home not seen. auto: where bubblewrap works; on: else such commands are refused; off: never.",
      { env: "HERMES_ISOLATION", project: ["on", "auto", "off"], words: { true: "on", false: "off" } },
    ),
    network: setting(z.boolean().default(true), "Commands in the sandbox reach the network.", {
      env: "HERMES_ISOLATION_NETWORK",
      project: "false",
    }),
    writable: setting(paths(), "More files and folders that can be written in the sandbox. `~` is your home folder.", {
      project: "shrink",
    }),
    visible: setting(
      paths(),
      "Files and folders that the sandbox would hide and that can be read in it, such as ~/.ssh/known_hosts.",
      { project: "shrink" },
    ),
    hidden: setting(paths(), "More files and folders that are hidden in the sandbox.", { project: "grow" }),
  }),
  "The sandbox for local commands. `isolation: off` means its mode.",
  { safety: true, shorthand: "mode" },
);
