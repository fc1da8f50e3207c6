import { z } from "zod";

import { setting } from "./setting.ts";

export const security = setting(
  z.strictObject({
    redact_secrets: setting(
      z.boolean().default(true),
      "Mask secrets in results and questions. Logs are always masked.",
      {
        env: "HERMES_REDACT_SECRETS",
        project: "true",
      },
    ),
    allow_private_urls: setting(
      z.boolean().default(false),
      "Let tools reach private and loopback addresses. Metadata services stay blocked.",
      {
        env: "HERMES_ALLOW_PRIVATE_URLS",
        project: "false",
      },
    ),
    website_blocklist: setting(
      z.strictObject({
        enabled: setting(z.boolean().default(false), "Block the sites below.", { project: "true" }),
        domains: setting(
          z.array(z.string().min(1).max(300)).default([]),
          "Hosts with their subdomains; `*.host`: only the subdomains.",
          { project: "grow" },
        ),
        shared_files: setting(
          z.array(z.string().min(1).max(4_096)).default([]),
          "Files with one rule per line; `#` starts a comment. If a file cannot be read, Hermes blocks every site.",
        ),
      }),
      "Sites that tools must not reach.",
    ),
    tirith_enabled: setting(z.boolean().default(true), "Scan commands with tirith if it is installed.", {
      env: "TIRITH_ENABLED",
      project: "true",
    }),
    tirith_path: setting(z.string().min(1).default("tirith"), "The tirith program.", { env: "TIRITH_BIN" }),
    tirith_timeout: setting(z.number().min(0.1).max(600).default(5), "Seconds for one scan.", {
      env: "TIRITH_TIMEOUT",
    }),
    tirith_fail_open: setting(z.boolean().default(true), "Continue without a scan if the scanner fails.", {
      env: "TIRITH_FAIL_OPEN",
      project: "false",
    }),
  }),
  "Limits on what the agent sees and reaches. This version does not use the scanner tirith, but validates its settings.",
  { safety: true },
);

const paths = () => z.array(z.string().min(1).max(4_096)).default([]);

export const isolation = setting(
  z.strictObject({
    mode: setting(
      z.enum(["on", "auto", "off"]).default("auto"),
      "Run local commands that no person approved in a sandbox (Linux: bubblewrap, else Landlock; macOS: sandbox-exec): the workspace, temporary folders and package manager caches are writable, the rest is read-only, keys and Hermes' home are hidden. auto: if none works, ask once per session before commands run unconfined; on: reject such commands without a sandbox; off: never.",
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
