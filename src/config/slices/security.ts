import { z } from "zod";

import { setting } from "./setting.ts";

export const security = setting(
  z.strictObject({
    redact_secrets: setting(
      z.boolean().default(true),
      "Mask secrets in results and questions. Logs are masked in any case.",
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
        enabled: setting(z.boolean().default(false), "Refuse the sites below.", { project: "true" }),
        domains: setting(
          z.array(z.string().min(1).max(300)).default([]),
          "Hosts, with their sub-domains; `*.host`: the sub-domains only.",
          { project: "grow" },
        ),
        shared_files: setting(
          z.array(z.string().min(1).max(4_096)).default([]),
          "Files with one rule per line; `#` begins a comment. While one cannot be read, no site can be reached.",
        ),
      }),
      "Sites that tools must not reach.",
    ),
    tirith_enabled: setting(z.boolean().default(true), "Scan commands with tirith where it is installed.", {
      env: "TIRITH_ENABLED",
      project: "true",
    }),
    tirith_path: setting(z.string().min(1).default("tirith"), "The tirith program.", { env: "TIRITH_BIN" }),
    tirith_timeout: setting(z.number().min(0.1).max(600).default(5), "Seconds for one scan.", {
      env: "TIRITH_TIMEOUT",
    }),
    tirith_fail_open: setting(z.boolean().default(true), "Go on without a scan when the scanner fails.", {
      env: "TIRITH_FAIL_OPEN",
      project: "false",
    }),
  }),
  "What is kept from the agent and from the world. The scanner tirith is not used by this version; its settings are checked.",
  { safety: true },
);
