/** Reads the standard input of a kernel while scripts run, and interrupts a script that never yields. */
import { readSync } from "node:fs";
import { Session } from "node:inspector";
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";

const patienceMs = 50;
// The kernel increments this counter when it handles an interrupt.
serve(workerData as Int32Array);

function serve(heartbeat: Int32Array): never {
  const session = new Session();
  session.connectToMainThread();
  const buffer = Buffer.allocUnsafe(65_536);
  let rest: Buffer[] = [];
  for (;;) {
    const size = read(buffer);
    // Hermes has closed the input.
    if (size === 0) process.kill(process.pid, "SIGKILL");
    let start = 0;
    for (let stop = buffer.indexOf(10); stop !== -1 && stop < size; stop = buffer.indexOf(10, start)) {
      handle(JSON.parse(Buffer.concat([...rest, buffer.subarray(start, stop)]).toString()));
      rest = [];
      start = stop + 1;
    }
    if (start < size) rest.push(Buffer.from(buffer.subarray(start, size)));
  }

  function handle(message: object): void {
    const before = Atomics.load(heartbeat, 0);
    parentPort?.postMessage(message);
    if (!("interrupt" in message)) return;
    if (Atomics.wait(heartbeat, 0, before, patienceMs) === "timed-out") session.post("Runtime.terminateExecution");
  }
}

function read(buffer: Buffer): number {
  for (;;) {
    try {
      return readSync(0, buffer);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return 0;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
