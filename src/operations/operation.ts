import type { LoadInput } from "../config/load.ts";
import { object, type Schema, type ValueOf } from "../contracts/host/input-schema.ts";
import type { Operation, OperationContext, OperationOutcome } from "../contracts/host/operation.ts";
import type { ApprovalSurface } from "../contracts/safety/approval.ts";
import type { Session } from "../contracts/session/runtime.ts";
import type { Toolbox } from "../runtime/calls/toolbox.ts";
import type { OpenedCheckpoints } from "../runtime/knowledge/open-checkpoints.ts";
import type { ProjectCheckpoints } from "../runtime/knowledge/project-checkpoints.ts";
import type { ReplayRequest } from "../runtime/replay-session.ts";
import type { OpenedServices, RuntimeServices } from "../runtime/services.ts";

/** The location of the configuration, for operations that must work while it is invalid. */
export type ConfigPlace = Pick<LoadInput, "env" | "cwd" | "profile" | "user">;

/** Services that the host itself provides. */
export interface HostServices {
  /** The live session of the caller. */
  readonly session: Session;
  readonly configPlace: ConfigPlace;
  /** Tools outside of a session. */
  readonly toolbox: Toolbox;
  /** Asks the user to approve calls. If undefined, calls that need approval are denied. */
  readonly approvalSurface: ApprovalSurface | undefined;
  /** Shows a replay while it runs. */
  readonly replayView: Pick<ReplayRequest, "opened" | "began" | "deviates">;
}

export type HostOpeners = {
  readonly [Name in keyof HostServices]?: () => HostServices[Name] | Promise<HostServices[Name]>;
};

/** The services that operations use, by name: those of the runtime and those of the host. */
export interface OperationServices extends Omit<OpenedServices, "checkpoints">, HostServices {
  /** In a live session, `open` without an id returns the checkpoints of that session. */
  readonly checkpoints: Pick<ProjectCheckpoints, "status" | "prune"> & {
    open(session?: string): Promise<Pick<OpenedCheckpoints, "checkpoints">>;
  };
}

export type OperationService = keyof OperationServices;

/** Opens a service on first use. Undefined if this host does not have it. */
export type OpenService = <Name extends OperationService>(name: Name) => Promise<OperationServices[Name]> | undefined;

const hostNames: ReadonlySet<string> = new Set<keyof HostServices>([
  "session",
  "configPlace",
  "toolbox",
  "approvalSurface",
  "replayView",
]);

export function servicesOf(runtime: () => RuntimeServices | Promise<RuntimeServices>, host: HostOpeners): OpenService {
  const { session } = host;
  const open = async (name: keyof OpenedServices): Promise<unknown> => {
    const service = await (await runtime()).get(name);
    return name === "checkpoints" && session ? checkpointsOf(await session(), service as ProjectCheckpoints) : service;
  };
  // The cast is safe: every service has the type that its name declares.
  return ((name: OperationService) => {
    if (!isHostName(name)) return open(name);
    const opener = host[name];
    return opener && Promise.resolve(opener());
  }) as OpenService;
}

function isHostName(name: OperationService): name is keyof HostServices {
  return hostNames.has(name);
}

function checkpointsOf(session: Session, project: ProjectCheckpoints): OperationServices["checkpoints"] {
  return { ...project, open: async (id) => (id === undefined ? session : project.open(id)) };
}

/** Any operation, for code that lists or runs them by name. The runner passes exactly the declared `input` and `needs`. */
export interface AnyOperation {
  readonly summary: string;
  readonly input: Schema<unknown>;
  readonly needs: readonly OperationService[];
  readonly effect: "read" | "write";
  run(input: never, services: never, ctx: OperationContext): Promise<OperationOutcome>;
}

/**
 * Declares an operation. Heavy modules must be imported inside `run`, because a host loads all operations of a group to
 * run one of them.
 */
type DefineOperation = <Outcome extends OperationOutcome, const Need extends OperationService, Input = NoInput>(
  parts: Omit<Operation<Input, Outcome, OperationServices, Need>, "input" | "effect"> & {
    /** Default: no input. */
    readonly input?: Schema<Input>;
  },
) => Operation<Input, Outcome, OperationServices, Need>;

const noInput = object({});
type NoInput = ValueOf<typeof noInput>;

function defining(effect: "read" | "write"): DefineOperation {
  // The cast is safe: an operation without input has the type of `noInput`.
  return ({ input = noInput as Schema<never>, ...parts }) => ({ ...parts, input, effect });
}

/** Declares an operation that changes nothing. */
export const readOperation = defining("read");
export const writeOperation = defining("write");
