import { err } from "../../base/result.ts";
import type { EnvironmentFactory } from "../../contracts/environment/environment.ts";
import { createRemoteEnvironment } from "../remote/remote-environment.ts";
import { type SshDeps } from "./ssh-link.ts";
import { sshLink } from "./ssh-link.ts";
import { formatTarget, targetFault } from "./ssh-target.ts";

/** Runs commands on another machine through OpenSSH, over one connection that all programs of this user share. */
export function createSshFactory(deps: SshDeps): EnvironmentFactory {
  return {
    kind: "ssh",
    async open(options, signal) {
      const fault = targetFault(deps.target);
      if (fault) return err(fault);
      return createRemoteEnvironment(
        sshLink(deps),
        { ...deps, cwd: options.cwd ?? deps.cwd, targetName: formatTarget(deps.target) },
        signal,
      );
    },
  };
}
