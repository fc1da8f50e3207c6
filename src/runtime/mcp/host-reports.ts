import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import type { Permissions } from "../../contracts/plugin/manifest.ts";
import { grantsOf } from "../../plugins/permissions.ts";
import { createRefusals } from "../../plugins/process/refusals.ts";

export interface HostReports {
  refused(server: string, permissions: Permissions, host: string): void;
  /** Reports a missing protection. `weakness` completes the sentence "MCP server NAME …". */
  weak(server: string, weakness: string): void;
}

/** Reports once which hosts a confined server cannot reach, however often it restarts. */
export function hostReports(deps: { readonly report: (server: string, sentence: string) => void }): HostReports {
  const refusals = new Map<string, ReturnType<typeof createRefusals>>();
  const weak = new Set<string>();

  function refusalsOf(server: string, permissions: Permissions): ReturnType<typeof createRefusals> {
    const grants = grantsOf(permissions);
    const allowed = (grant: string) => `--allow ${quoteForShellIfNeeded(grant)}`;
    return createRefusals({
      who: `MCP server ${server}`,
      // The suggested command lists all permissions, because it replaces the current ones.
      allowCommand: (grant) => `hermes mcp configure ${server} ${[...grants, grant].map(allowed).join(" ")}`,
      report: (sentence) => deps.report(server, sentence),
      audit: () => {},
      warningOf: () => undefined,
    });
  }

  return {
    refused(server, permissions, host) {
      const key = JSON.stringify([server, permissions]);
      const refuse = refusals.get(key) ?? refusalsOf(server, permissions);
      refusals.set(key, refuse);
      refuse({ permission: "net", target: host });
    },
    weak(server, weakness) {
      const sentence = `MCP server ${server} ${weakness}`;
      if (weak.has(sentence)) return;
      weak.add(sentence);
      deps.report(server, sentence);
    },
  };
}
