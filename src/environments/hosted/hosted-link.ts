import type { Environment } from "../../contracts/environment.ts";
import type { Link } from "../remote/link.ts";

/** A link to a machine that is rented: closing it switches the machine off. */
export interface HostedLink extends Link {
  /** There is a machine, or one is on its way. */
  readonly isUsed: boolean;
  /** Closing leaves the machine on. */
  leaveOn(): void;
}

/** The same environment; closing it leaves the machine on while background processes run there. */
export function leftOnForProcesses(environment: Environment, link: HostedLink): Environment {
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
