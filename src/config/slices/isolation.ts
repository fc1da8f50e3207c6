import { z } from "zod";

import { setting } from "./setting.ts";

const paths = () => z.array(z.string().min(1).max(4_096)).default([]);

export const isolation = setting(
  z.strictObject({
    mode: setting(
      z.enum(["on", "auto", "off"]).default("auto"),
      "Run local commands that no person approved in a sandbox (bubblewrap, Linux): the workspace, temporary folders and package manager caches are writable, the rest is read-only, keys and Hermes' home are hidden. auto: if bubblewrap works; on: reject such commands without it; off: never.",
      { env: "HERMES_ISOLATION", project: ["on", "auto", "off"], words: { true: "on", false: "off" } },
    ),
    network: setting(z.boolean().default(true), "Give commands in the sandbox network access.", {
      env: "HERMES_ISOLATION_NETWORK",
      project: "false",
    }),
    writable: setting(paths(), "Additional writable files and folders. `~` is your home folder.", {
      project: "shrink",
    }),
    visible: setting(
      paths(),
      "Files and folders that are readable although the sandbox hides them by default, such as ~/.ssh/known_hosts.",
      { project: "shrink" },
    ),
    hidden: setting(paths(), "Additional hidden files and folders.", { project: "grow" }),
  }),
  "The sandbox for local commands. `isolation: off` sets its mode.",
  { safety: true, shorthand: "mode" },
);
