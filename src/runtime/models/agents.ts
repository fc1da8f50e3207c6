import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ModelProvider } from "../../contracts/model/model.ts";
import type { AgentPool } from "../../providers/acp/agent-pool.ts";
import type { ProgramEndpoint } from "../../providers/endpoint.ts";

/** Models that are programs. The first request loads the code; disposing ends the programs. */
export interface Agents extends AsyncDisposable {
  provider(endpoint: ProgramEndpoint): ModelProvider;
}

export function openAgents(
  config: LoadedConfig,
  { clock, cwd }: { readonly clock: Clock; readonly cwd?: string },
): Agents {
  let opened: Promise<AgentPool> | undefined;

  async function open(): Promise<AgentPool> {
    const [{ createAgentPool }, { agentStarter }] = await Promise.all([
      import("../../providers/acp/agent-pool.ts"),
      import("./start-agent.ts"),
    ]);
    return createAgentPool({ start: agentStarter(config, { clock, cwd }), clock });
  }

  return {
    provider(endpoint) {
      const created = once(async () => {
        const { createAgentProvider } = await import("../../providers/acp/agent-provider.ts");
        return createAgentProvider(endpoint, { agents: await (opened ??= open()), clock });
      });
      return {
        id: endpoint.providerId,
        async *stream(request, signal) {
          yield* (await created()).stream(request, signal);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}
