import { setImmediate as nextTurn } from "node:timers/promises";

import { plural } from "../../base/text/text.ts";
import type { PluginFile } from "./plugin-tree.ts";

/** The result of a scan. The result is only advice: the sandbox confines the plugin, and the user decides. */
export interface PluginScan {
  readonly verdict: "safe" | "caution" | "dangerous";
  readonly findings: readonly {
    readonly severity: string;
    readonly rule: string;
    readonly where: string;
    readonly excerpt?: string;
  }[];
}

export type ScanFiles = (files: readonly PluginFile[]) => Promise<PluginScan>;

/**
 * Scans a plugin in steps, so that the user can interrupt it. The plugin's own code is scanned before the packages
 * that it includes; files beyond `maxScannedBytes` are reported as not scanned.
 */
export async function scanTree(
  files: readonly PluginFile[],
  scan: ScanFiles,
  signal: AbortSignal,
): Promise<PluginScan> {
  const own = (file: PluginFile) => !file.path.includes("node_modules/");
  const ordered = [...files.filter(own), ...files.filter((file) => !own(file))];
  const results: PluginScan[] = [];
  let bytes = 0;
  let scanned = 0;
  for (; scanned < ordered.length; scanned += stepFiles) {
    const step = ordered.slice(scanned, scanned + stepFiles);
    bytes += step.reduce((sum, file) => sum + file.bytes.length, 0);
    if (bytes > maxScannedBytes && scanned > 0) break;
    results.push(await scan(step));
    await nextTurn();
    signal.throwIfAborted();
  }
  const left = ordered.slice(scanned);
  const verdicts = results.map(({ verdict }) => verdict);
  const worst = (["dangerous", "caution"] as const).find((verdict) => verdicts.includes(verdict));
  const findings = results.flatMap((result) => result.findings);
  const rest = {
    severity: "high",
    rule: "not_scanned",
    where: `${plural(left.length, "file")}, starting with ${left[0]?.path}`,
  };
  return {
    verdict: worst ?? (left.length > 0 ? "caution" : "safe"),
    findings: [
      ...(left.length > 0 ? [rest] : []),
      ...severities.flatMap((each) => findings.filter(({ severity }) => severity === each)),
    ],
  };
}

const severities = ["critical", "high", "medium"];
const stepFiles = 8;
const maxScannedBytes = 6_000_000;
