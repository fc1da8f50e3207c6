import { z } from "zod";

import { setting } from "./setting.ts";

const seconds = (preset: number) => z.number().min(1).max(86_400).default(preset);

const camofox = setting(
  z.object({
    managed_persistence: setting(
      z.boolean().default(false),
      "Keep cookies and logins of the server's user between conversations.",
    ),
    user_id: setting(z.string().max(200).default(""), "The user of the server. Empty: one that is created for Hermes."),
    session_key: setting(z.string().max(200).default(""), "The group of tabs. Empty: one for each conversation."),
    adopt_existing_tab: setting(z.boolean().default(false), "Use a tab of this user that is already open."),
    loopback_host: setting(
      z.string().max(253).default(""),
      "For a server in a container: the name of this machine there (host.docker.internal), which replaces localhost in addresses.",
    ),
  }),
  "A Camofox server (`CAMOFOX_URL`).",
);

export const browser = setting(
  z.object({
    backend: setting(
      z.string().min(1).max(100).default("auto"),
      "Which browser the tools use: local (Chromium on this machine), cdp (a running browser, see cdp_url), browserbase, browser_use, firecrawl, camofox, or the name of a plugin's backend. auto: local if there is one, else the first service whose keys are set.",
      { env: "HERMES_BROWSER_BACKEND" },
    ),
    engine: setting(
      z.enum(["auto", "chrome", "lightpanda"]).default("auto"),
      "auto: the headless shell of Chromium if it is installed, else Chromium or Chrome. chrome: never the headless shell. lightpanda: Hermes does not start it; run `lightpanda serve` and set cdp_url.",
    ),
    executable: setting(
      z.string().max(4_096).default(""),
      "Path of the browser program. Empty: Hermes looks for Chromium or Chrome.",
      { env: "HERMES_BROWSER_EXECUTABLE" },
    ),
    cdp_url: setting(
      z.string().max(4_096).default(""),
      "Address of a running browser with remote debugging, such as http://localhost:9222. With backend auto it takes precedence.",
      { env: "BROWSER_CDP_URL" },
    ),
    headed: setting(z.boolean().default(false), "Show the window of the local browser."),
    profile: setting(
      z
        .string()
        .regex(/^(?:[a-z0-9][a-z0-9_-]{0,39})?$/u)
        .default(""),
      "The named profile whose logins the local browser uses (`hermes browser open NAME`). Empty: each conversation starts without cookies.",
      { expected: "lower case letters, digits, _ and -" },
    ),
    sandbox: setting(
      z.enum(["required", "auto"]).default("auto"),
      "The sandbox of the browser. auto: if it does not work, the browser starts without it, with a warning. required: the browser does not start without it.",
      { project: ["required", "auto"] },
    ),
    inactivity_timeout: setting(seconds(120), "Seconds without use after which the browser of a conversation closes."),
    command_timeout: setting(seconds(30), "Seconds that the browser may take for one command."),
    record_sessions: setting(
      z.boolean().default(false),
      "Keep a trace of each conversation's browser as an HTML file: actions, addresses, pictures.",
      { project: "allow" },
    ),
    allow_private_urls: setting(
      z.boolean().default(false),
      "Let the browser reach private and loopback addresses. Metadata services stay blocked.",
      { project: "false", safety: true },
    ),
    proxy_by_name: setting(
      z.boolean().default(false),
      "Give the proxy of HTTPS_PROXY and HTTP_PROXY the name of a site. false: the address that Hermes checked, which some proxies refuse. With true, the proxy resolves the name again, so a site that changes its address could reach hosts inside your network.",
      { project: "false", safety: true },
    ),
    auto_local_for_private_urls: setting(
      z.boolean().default(true),
      "With a cloud browser and `allow_private_urls`, open private addresses in a local browser.",
    ),
    dialog_policy: setting(
      z.enum(["must_respond", "auto_dismiss", "auto_accept"]).default("must_respond"),
      "Dialogs of pages (alert, confirm, prompt). must_respond: the model answers them with browser_dialog; after dialog_timeout they are dismissed.",
    ),
    dialog_timeout: setting(seconds(300), "Seconds after which a dialog without an answer is dismissed."),
    restrict_evaluate: setting(
      z.boolean().default(false),
      "Reject scripts in browser_console that read cookies, storage or send requests.",
      { project: "true" },
    ),
    allow_unsafe_evaluate: setting(
      z.boolean().default(false),
      "Accept every script in browser_console, even those that `restrict_evaluate` rejects.",
      { project: "false" },
    ),
    max_tabs: setting(z.int().min(1).max(100).default(10), "Tabs of one conversation. The oldest popups close first."),
    max_download_mb: setting(z.int().min(1).max(100_000).default(100), "Max size of one download.", {
      project: "lower",
    }),
    max_downloads: setting(z.int().min(0).max(10_000).default(50), "Downloads of one conversation.", {
      project: "lower",
    }),
    max_page_memory_mb: setting(
      z.int().min(64).max(16_384).default(1_024),
      "JavaScript memory of one page. A page that needs more crashes, and the result reports it.",
      { project: "lower" },
    ),
    camofox,
  }),
  "The browser tools. Local browsers run in their sandbox, and all their traffic goes through a filter of Hermes.",
);
