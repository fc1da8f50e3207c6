import { realpathSync } from "node:fs";
import { delimiter, posix } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { reasonOf, valueOr } from "../../base/result.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { PolicyRequest } from "../../contracts/safety/approval.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { type Surroundings, Unreachable } from "../../safety/surroundings.ts";

type Environment = NonNullable<PolicyRequest["environment"]>;

interface There {
  readonly home: string;
  /** The start folder of the session there. */
  readonly start: string;
}

/**
 * Collects the facts about the environment of a call that the policy needs: on this machine from the settings,
 * elsewhere from the backend.
 */
export function policySurroundings(
  config: LoadedConfig,
): (
  request: Pick<PolicyRequest, "place" | "environment" | "effects">,
  signal: AbortSignal,
) => Promise<Surroundings> | Surroundings {
  const home = real(userFolder(config.env));
  const { user } = config;
  const hermes = [...new Set([config.home.path, config.home.root].flatMap((path) => [path, real(path)]))];
  const roots = config.env["HERMES_WRITE_SAFE_ROOT"]?.split(delimiter).filter(Boolean).map(real) ?? [];
  /** Reads the start folder before the first command, which may change it. */
  const map = new WeakMap<Environment, Promise<There>>();

  function lookThere(environment: Environment, signal: AbortSignal): Promise<There> {
    const request = map.get(environment) ?? ask(environment, signal);
    map.set(environment, request);
    request.catch(() => map.delete(environment));
    return request;
  }

  return (request, signal) =>
    request.place.backend === "local"
      ? {
          // Without a workspace, no path counts as inside.
          files: {
            home,
            workspace: request.place.workspace ?? nowhere,
            hermes,
            ...(roots.length > 0 && { safeRoots: roots }),
          },
          user,
          reachesHost: true,
        }
      : elsewhere(request, signal);

  async function elsewhere(
    { place, environment, effects }: Pick<PolicyRequest, "place" | "environment" | "effects">,
    signal: AbortSignal,
  ): Promise<Surroundings> {
    const isAsked = environment !== undefined && effects.some(happensThere);
    const there = isAsked ? await lookThere(environment, signal) : { home: "/root", start: place.cwd };
    const isReal = reachesHost(config, place.backend);
    const isWide = there.start === "/" || isInside(there.start, there.home);
    return {
      files: {
        home: there.home,
        // As on this machine, a whole home folder is not a workspace, except in a sandbox.
        workspace: place.workspace ?? (isReal && isWide ? nowhere : there.start),
        hermes: [posix.join(there.home, ".hermes")],
      },
      user: posix.basename(there.home),
      reachesHost: isReal,
    };
  }
}

const nowhere = "/\0";

async function ask(environment: Environment, signal: AbortSignal): Promise<There> {
  try {
    const { cwd, home = "/root" } = await environment.state(signal);
    return { home, start: cwd };
  } catch (thrown) {
    throw new Unreachable(reasonOf(thrown), { cause: thrown });
  }
}

function happensThere({ kind }: Effect): boolean {
  return ["exec", "process", "read", "write", "delete", "move"].includes(kind);
}

/** Whether a command on this backend can damage a permanent machine. */
function reachesHost({ values }: LoadedConfig, backend: string): boolean {
  if (backend === "modal" || backend === "daytona") return false;
  if (backend !== "docker") return true;
  return values.terminal.docker_mount_cwd_to_workspace || values.terminal.docker_volumes.length > 0;
}

function real(path: string): string {
  return valueOr(() => realpathSync(path), path);
}
