import { closeSync, constants, openSync, writeSync } from "node:fs";

import { systemClock } from "../../base/clock.ts";

/** The terminal of this process, for programs that draw. */
export interface TerminalDevice {
  /** Takes keys one by one and without echo, until it is closed. */
  open(listener: DeviceListener): OpenedDevice;
}

export interface DeviceListener {
  typed(bytes: Uint8Array): void;
  resized(): void;
  /**
   * Called when another program may have written to the terminal or changed its modes: set the modes and draw again.
   */
  resumed(): void;
  /** The terminal was closed. */
  ended(): void;
  /** The terminal has accepted all written bytes. */
  drained(): void;
  /** A warning of the process, which must not be written into the drawn rows. */
  warned(text: string): void;
}

export interface OpenedDevice {
  /** Writes bytes. Never waits and never throws. A slow terminal gets the bytes later, a closed one never. */
  write(text: string): void;
  /** True: bytes are waiting, because the terminal is slow. */
  readonly isBehind: boolean;
  /** The bytes that restore the modes of the terminal, however this process ends. */
  restoreBy(text: () => string): void;
  /** Stops the process as Ctrl-Z does. `resumed` is called when it continues. */
  suspend(): void;
  /** Gives the terminal to another program and returns when that has ended. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Writes pending output, restores the terminal and stops listening. */
  close(): Promise<void>;
}

const maxPauseMs = 50;
/** If the terminal accepts nothing for this long, the rest is dropped. */
const maxClosingMs = 500;

export function createTerminalDevice(
  routeWarnings: (to: ((text: string) => void) | undefined) => void,
): TerminalDevice {
  return { open: (listener) => openDevice(listener, routeWarnings) };
}

function openDevice(
  listener: DeviceListener,
  routeWarnings: (to: ((text: string) => void) | undefined) => void,
): OpenedDevice {
  const { stdin, stdout } = process;
  const out = createOutput(listener);
  let restoring: () => string = () => "";
  let isLent = false;
  let isClosed = false;

  const setRaw = (isRaw: boolean) => {
    try {
      stdin.setRawMode(isRaw);
    } catch {
      // The terminal was closed.
    }
  };
  const onData = (bytes: Uint8Array) => {
    if (!isLent) listener.typed(bytes);
  };
  const onEnd = () => listener.ended();
  const onResize = () => listener.resized();
  const onExit = () => {
    out.writeNow(restoring());
    setRaw(false);
  };
  const onContinue = () => {
    if (isLent || isClosed) return;
    // The shell has reset the terminal modes, so they are set again.
    setRaw(true);
    process.off("SIGTSTP", stop).on("SIGTSTP", stop);
    listener.resumed();
  };

  function stop(): void {
    out.writeNow(restoring());
    setRaw(false);
    process.off("SIGTSTP", stop);
    // Sends to the whole group, so that a script that started the program stops too. In a group without a shell nothing
    // stops.
    process.kill(0, "SIGTSTP");
    systemClock.after(momentMs, onContinue);
  }

  setRaw(true);
  stdin.on("data", onData).on("end", onEnd).on("error", onEnd).resume();
  stdout.on("resize", onResize);
  process.on("exit", onExit).on("SIGCONT", onContinue).on("SIGTSTP", stop);
  routeWarnings((text) => listener.warned(text));

  function release(): void {
    process.off("exit", onExit).off("SIGCONT", onContinue).off("SIGTSTP", stop);
    stdout.off("resize", onResize);
    stdin.off("data", onData).off("end", onEnd).off("error", onEnd).pause();
    setRaw(false);
    routeWarnings(undefined);
  }

  return {
    write: out.write,
    get isBehind() {
      return out.isBehind;
    },
    restoreBy(text) {
      restoring = text;
    },
    suspend: stop,
    async lend(work) {
      await out.flush(maxClosingMs);
      out.writeNow(restoring());
      isLent = true;
      stdin.pause();
      setRaw(false);
      try {
        return await work();
      } finally {
        isLent = false;
        stdin.resume();
        onContinue();
      }
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      out.write(restoring());
      await out.flush(maxClosingMs);
      release();
      out.close();
    },
  };
}

const momentMs = 50;

interface Output {
  write(text: string): void;
  writeNow(text: string): void;
  readonly isBehind: boolean;
  flush(maxMs: number): Promise<void>;
  close(): void;
}

/**
 * Node blocks the whole process if a terminal accepts no bytes, for example after Ctrl-S. The terminal is therefore
 * opened again in non-blocking mode.
 */
function createOutput(listener: DeviceListener): Output {
  const file = openTerminalFile();
  let waiting: Buffer[] = [];
  let pauseMs = 1;
  let timer: Disposable | undefined;
  let isDead = false;
  let flushed = Promise.withResolvers<void>();

  function die(): void {
    isDead = true;
    waiting = [];
    flushed.resolve();
    listener.ended();
  }

  function send(): void {
    timer = undefined;
    for (let [next] = waiting; next; [next] = waiting) {
      const count = isDead ? next.length : writeSome(next);
      if (count === undefined) return die();
      if (count < next.length) {
        waiting[0] = next.subarray(count);
        pauseMs = count > 0 ? 1 : Math.min(pauseMs * 2, maxPauseMs);
        timer = systemClock.after(pauseMs, () => {
          send();
          if (waiting.length === 0 && !isDead) listener.drained();
        });
        return;
      }
      waiting.shift();
    }
    pauseMs = 1;
    flushed.resolve();
  }

  /** The number of bytes that the terminal accepted; undefined if it was closed. */
  function writeSome(bytes: Buffer): number | undefined {
    if (file === undefined) {
      process.stdout.write(bytes);
      return bytes.length;
    }
    try {
      return writeSync(file, bytes);
    } catch (thrown) {
      return isRetried(thrown) ? 0 : undefined;
    }
  }

  return {
    write(text) {
      if (text === "" || isDead) return;
      waiting.push(Buffer.from(text));
      if (!timer) send();
    },
    writeNow(text) {
      for (const bytes of [...waiting, Buffer.from(text)]) if (!isDead && bytes.length > 0) writeSome(bytes);
      waiting = [];
    },
    get isBehind() {
      return waiting.length > 0;
    },
    async flush(maxMs) {
      if (waiting.length === 0) return;
      flushed = Promise.withResolvers();
      const limit = systemClock.after(maxMs, flushed.resolve);
      await flushed.promise;
      limit[Symbol.dispose]();
    },
    close() {
      timer?.[Symbol.dispose]();
      isDead = true;
      if (file !== undefined) closeSync(file);
    },
  };
}

function isRetried(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && (thrown.code === "EAGAIN" || thrown.code === "EINTR");
}

function openTerminalFile(): number | undefined {
  for (const path of ["/proc/self/fd/1", "/dev/tty"]) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {
      // The next descriptor, or the stream of the process.
    }
  }
  return undefined;
}
