import { arch, platform, release } from "node:os";
import { basename } from "node:path";

import type { Place } from "../../contracts/tool/effect.ts";
import { findShell } from "../../environments/local/find-shell.ts";

/** Lines of the prompt about the place where commands run. */
export function placeLines(place: Place, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const where =
    place.backend === "local" ? `this machine (${machine(env)})` : `${place.backend}, away from this machine`;
  const project = place.workspace !== undefined && place.workspace !== place.cwd ? `; project: ${place.workspace}` : "";
  return [
    `Commands run on ${where}. Working folder: ${place.cwd}${project}.`,
    ...(place.isolated
      ? [
          "Commands that nobody approved run in a sandbox: secrets are hidden from them, and they write only in the project and in temporary folders.",
        ]
      : []),
  ];
}

function machine(env: Readonly<Record<string, string | undefined>>): string {
  const shell = findShell(env);
  const system = `${systems[platform()] ?? platform()} ${arch()}${isWsl() ? ", in WSL" : ""}`;
  return shell.ok ? `${system}, ${basename(shell.value.program)}` : system;
}

const systems: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" };

function isWsl(): boolean {
  return platform() === "linux" && /microsoft/iu.test(release());
}
