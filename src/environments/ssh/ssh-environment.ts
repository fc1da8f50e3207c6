import { err } from "../../base/result.ts";
import type { EnvironmentFactory } from "../../contracts/environment/environment.ts";
import { createRemoteEnvironment, type RemoteDeps } from "../remote/remote-environment.ts";
import { sshLink } from "./ssh-link.ts";
import { shownTarget, type SshTarget, targetFault } from "./ssh-target.ts";

export interface SshDeps extends RemoteDeps {
  readonly target: SshTarget;
  /** Of this machine's user, for the client: PATH, HOME and SSH_AUTH_SOCK are what it needs. */
  readonly clientEnv: Readonly<Record<string, string | undefined>>;
  /** For sockets; they are shared by all programs of this user. */
  readonly tempFolder: string;
  /** The connection is closed with the environment, also for others who use it. Otherwise it stays for a while. */
  readonly closesConnection?: boolean;
}

/** Commands on another machine through OpenSSH, over one connection that all programs of this user share. */
export function createSshFactory(deps: SshDeps): EnvironmentFactory {
  return {
    kind: "ssh",
    async open(options, signal) {
      const fault = targetFault(deps.target);
      if (fault) return err(fault);
      return createRemoteEnvironment(
        sshLink(deps),
        { ...deps, cwd: options.cwd ?? deps.cwd, targetName: shownTarget(deps.target) },
        signal,
      );
    },
  };
}
