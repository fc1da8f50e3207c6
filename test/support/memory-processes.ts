import { abortable } from "../../src/base/async/abort.ts";
import type { Clock } from "../../src/base/clock.ts";
import { err, ok } from "../../src/base/result.ts";
import type {
  Environment,
  EnvironmentError,
  ProcessEnding,
  ProcessHandle,
  Screen,
  SpawnOptions,
} from "../../src/contracts/environment/environment.ts";

/** A simulated process that the test controls. */
export interface ScriptedProcess extends ProcessHandle {
  says(text: string | Uint8Array): void;
  ends(ending: Partial<ProcessEnding>): void;
  /** Drops the oldest bytes of the output. */
  drops(bytes: number): void;
  shows(screen: Screen): void;
  /** The input that the process has received so far. */
  readonly typed: string[];
  /** Number of reads of its output. */
  readonly reads: number;
}

/** The processes of an environment without real programs. `exec` and files are missing. */
export function memoryProcesses(clock: Clock, refusal?: EnvironmentError) {
  const processes: ScriptedProcess[] = [];
  function add(command: string, options: SpawnOptions): ScriptedProcess {
    const process = scriptedProcess(command, options, processes, clock);
    processes.push(process);
    return process;
  }
  const environment = {
    kind: "memory",
    async spawn(command: string, options: SpawnOptions) {
      return refusal ? err(refusal) : ok(add(command, options));
    },
    async processes() {
      return refusal ? err(refusal) : ok([...processes]);
    },
    // Tests that need more use the real one.
  } as unknown as Environment;
  return { environment, processes, add };
}

const pieceBytes = 1_000;

function scriptedProcess(
  command: string,
  { cwd = "/here", pty, owner }: SpawnOptions,
  all: ScriptedProcess[],
  clock: Clock,
): ScriptedProcess {
  const id = `proc_${(0xabcd00000000 + all.length).toString(16)}`;
  const over = Promise.withResolvers<ProcessEnding>();
  let ending: ProcessEnding | undefined;
  let output = Buffer.alloc(0);
  let dropped = 0;
  let reads = 0;
  let screen: Screen | undefined;
  let isClosed = false;
  const typed: string[] = [];
  const ends = (how: Partial<ProcessEnding>) => {
    ending ??= { how: "exited", endedAt: clock.now(), ...how };
    over.resolve(ending);
  };
  return {
    id,
    command,
    cwd,
    backend: "memory",
    pid: 4_000 + all.length,
    startedAt: clock.now(),
    owner,
    isTerminal: pty !== undefined,
    typed,
    get reads() {
      return reads;
    },
    says: (text) => void (output = Buffer.concat([output, Buffer.from(text)])),
    drops: (bytes) => void (dropped += bytes),
    shows: (shown) => void (screen = shown),
    ends,
    ending: async () => ending,
    wait: (signal) => abortable(over.promise, signal),
    async output(from, signal) {
      signal.throwIfAborted();
      reads += 1;
      const start = Math.min(Math.max(from, dropped), output.length);
      const bytes = output.subarray(start, start + pieceBytes);
      return { bytes, next: start + bytes.length, total: output.length };
    },
    screen: async () => (screen ? ok(screen) : err({ message: "it has no terminal" })),
    resize: async (size) => {
      if (screen) screen = { ...screen, ...size };
      return ok(undefined);
    },
    async write(bytes) {
      if (ending || isClosed) return err({ message: "its input is closed" });
      typed.push(Buffer.from(bytes).toString());
      return ok(undefined);
    },
    async closeInput() {
      isClosed = true;
      return ok(undefined);
    },
    async kill() {
      ends({ how: "killed", signal: "SIGTERM" });
      return ok(await over.promise);
    },
    async remove() {
      ends({ how: "killed" });
      all.splice(
        all.findIndex((each) => each.id === id),
        1,
      );
    },
  };
}
