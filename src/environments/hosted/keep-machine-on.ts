import type { Environment } from "../../contracts/environment/environment.ts";
import type { HostedLink } from "./hosted-link.ts";

/** Wraps an environment: closing it leaves the machine on while background processes run there. */
export function keepMachineOn(environment: Environment, link: HostedLink): Environment {
  async function hasProcesses(): Promise<boolean> {
    const signal = AbortSignal.timeout(listMs);
    const listed = await environment.processes(signal);
    for (const handle of listed.ok ? listed.value.toReversed() : []) {
      if ((await handle.ending(signal)) === undefined) return true;
    }
    return false;
  }
  return {
    ...environment,
    async [Symbol.asyncDispose]() {
      if (link.isUsed && (await hasProcesses().catch(() => false))) link.leaveOn();
      await environment[Symbol.asyncDispose]();
    },
  };
}

const listMs = 20_000;
