import { z } from "zod";

import { names, name } from "./names.ts";
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
          "Send only some tool definitions; the model finds the other tools by search. auto: the same as on.",
          { project: "allow", words: onOff },
        ),
        direct: setting(
          names([
            "clarify",
            "delegate_task",
            "execute_code",
            "patch",
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
          "Maximum tokens of the list of deferred tools (estimated at four characters per token).",
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

const size = (initial: number) => z.int().min(100).max(100_000_000).default(initial);

export const tool_output = setting(
  z.object({
    max_bytes: setting(size(50_000), "Maximum bytes of output of one command or file.", { project: "allow" }),
    max_lines: setting(size(2_000), "Maximum lines of one page.", { project: "allow" }),
    max_line_length: setting(size(2_000), "Maximum characters of one line.", { project: "allow" }),
    result_chars: setting(size(100_000), "Maximum characters of one result; a longer one is saved to a file.", {
      project: "allow",
    }),
    turn_chars: setting(
      size(200_000),
      "Maximum characters of all results of one turn; the largest are saved to files first.",
      {
        project: "allow",
      },
    ),
  }),
  "Limits on the tool output that the model reads.",
);

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
