import type { LoadedConfig } from "../../config/load.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import type { McpServerStatus } from "../../contracts/mcp/status.ts";
import { openServerPrograms } from "../../runtime/mcp/server-programs.ts";

/**
 * Adds the expected state to servers that have not been contacted yet: whether they need consent or a sign-in. Does not
 * connect.
 */
export async function expectedStates(
  servers: readonly McpServerStatus[],
  config: LoadedConfig,
  ctx: Pick<OperationContext, "cwd" | "clock">,
): Promise<readonly McpServerStatus[]> {
  const programs = openServerPrograms(config, ctx);
  return Promise.all(
    servers.map(async (status): Promise<McpServerStatus> => {
      const { entry, state } = status;
      if (!entry || (state !== "new" && state !== "known")) return status;
      const refusal = await programs.startFault(entry);
      if (refusal !== undefined) return { ...status, state: "asking", why: refusal };
      if (entry.target.kind === "stdio") return status;
      const { signInFault } = await import("../../runtime/mcp/sign-in-server.ts");
      const fault = signInFault(entry, { config, clock: ctx.clock });
      return fault === undefined ? status : { ...status, state: "signed_out", why: fault };
    }),
  );
}
