import { z } from "zod";

import { names } from "./names.ts";
import { setting } from "./setting.ts";

const onOff = { true: "on", false: "off" };

export const tools = setting(
  z.object({
    enabled: setting(names(), "Tools added by name to the selected toolsets."),
    disabled: setting(names(), "Tools removed by name from every selection.", { project: "grow", safety: true }),
    timeout_s: setting(
      z.number().min(0).max(86_400).default(420),
      "Timeout in seconds of a tool call whose tool defines none. 0: no limit.",
      { env: "HERMES_CONCURRENT_TOOL_TIMEOUT_S", project: "allow" },
    ),
    check_timeout_s: setting(
      z.number().min(0.1).max(60).default(5),
      "Timeout in seconds of an availability check; then the tool counts as unavailable.",
      { project: "allow" },
    ),
    tool_search: setting(
      z.object({
        enabled: setting(
          z.enum(["auto", "on", "off"]).default("auto"),
          "Find tools by search instead of sending every definition. auto and on mean yes.",
          { project: "allow", words: onOff },
        ),
        direct: setting(
          names([
            "patch",
            "process",
            "read_back",
            "read_file",
            "search_files",
            "terminal",
            "todo",
            "tool_call",
            "tool_describe",
            "tool_search",
            "write_file",
          ]),
          "Tools whose definitions are always sent; the others are deferred.",
          { project: "allow" },
        ),
        listing: setting(
          z.enum(["auto", "on", "off"]).default("auto"),
          "List the deferred tools in the description of tool_search. auto: within the budget.",
          { project: "allow", words: onOff },
        ),
        listing_max_tokens: setting(
          z.int().min(0).max(60_000).default(500),
          "Maximum tokens of that listing (estimated at four characters each).",
          { project: "allow" },
        ),
        search_default_limit: setting(z.int().min(1).max(50).default(5), "Default number of matches per search.", {
          project: "allow",
        }),
        max_search_limit: setting(
          z.int().min(1).max(50).default(20),
          "Maximum number of matches a search may request.",
          {
            project: "allow",
          },
        ),
      }),
      "Deferred tools. A plain true or false sets `enabled`.",
      { shorthand: "enabled" },
    ),
  }),
  "Single tools, and limits of tool calls.",
);
