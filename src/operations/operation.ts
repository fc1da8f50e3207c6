import type { Schema } from "../contracts/host/input-schema.ts";
import type { Operation, OperationContext, OperationOutcome } from "../contracts/host/operation.ts";
import type { Session } from "../contracts/session/runtime.ts";
import type { ProjectCheckpoints } from "../runtime/knowledge/keep-checkpoints.ts";
import type { OpenedCheckpoints } from "../runtime/knowledge/open-checkpoints.ts";
import type { OpenedServices, RuntimeServices } from "../runtime/services.ts";

/** What operations work on, by name: the services of the runtime, and the live session that the caller is in. */
export interface OperationServices extends Omit<OpenedServices, "checkpoints"> {
  readonly session: Session;
  /** In a live session, `open` without an id gives the checkpoints of that session. */
  readonly checkpoints: Pick<ProjectCheckpoints, "status" | "prune"> & {
    open(session?: string): Pick<OpenedCheckpoints, "checkpoints">;
  };
}

export type OperationService = keyof OperationServices;

/** Opens a service when an operation first needs it. Undefined: this host does not have it. */
export type OpenService = <Name extends OperationService>(name: Name) => Promise<OperationServices[Name]> | undefined;

/** The services of a host. `session`: the live one, in a host that has one. */
export function servicesOf(
  runtime: () => RuntimeServices | Promise<RuntimeServices>,
  session?: () => Session,
): OpenService {
  const open = async (name: OperationService): Promise<unknown> => {
    if (name === "session") return session?.();
    const service = await (await runtime()).get(name);
    return name === "checkpoints" && session ? checkpointsOf(session(), service as ProjectCheckpoints) : service;
  };
  // Each service comes from under its own name.
  return ((name) => (name === "session" && !session ? undefined : open(name))) as OpenService;
}

function checkpointsOf(session: Session, project: ProjectCheckpoints): OperationServices["checkpoints"] {
  return { ...project, open: (id) => (id === undefined ? session : project.open(id)) };
}

/** Any operation, for code that lists or runs them by name. The runner hands over exactly what `input` and `needs` say. */
export interface AnyOperation {
  readonly summary: string;
  readonly input: Schema<unknown>;
  readonly needs: readonly OperationService[];
  readonly effect: "read" | "write";
  run(input: never, services: never, ctx: OperationContext): Promise<OperationOutcome>;
}

/** Heavy modules are imported inside `run`: a host loads the operations of a noun to run one of them. */
export function defineOperation<Input, Outcome extends OperationOutcome, const Need extends OperationService>(
  operation: Operation<Input, Outcome, OperationServices, Need>,
): Operation<Input, Outcome, OperationServices, Need> {
  return operation;
}
