/** Extracts the runner's status lines from its standard error, which may contain other text. */
export interface Control {
  readonly add: (chunk: Uint8Array) => void;
  /** The process group of the command, once the runner has reported it. */
  group(): number | undefined;
  /** The complete report so far. */
  report(): RunnerReport;
}

export interface RunnerReport {
  readonly hasStarted: boolean;
  /** Files of the environment were missing; the command did not start. */
  readonly isStateMissing: boolean;
  /** The folder is missing; the nearest existing one is this many levels up. */
  readonly missingLevels: number | undefined;
  readonly group: number | undefined;
  readonly status: number | undefined;
  readonly isSaved: boolean;
  readonly isSame: boolean;
  readonly checksum: string;
  /** The dump of the shell state, one byte per character. */
  readonly dump: string | undefined;
  readonly left: readonly { readonly pid: number; readonly name: string }[];
  /** Text that other programs printed before the command started. */
  readonly noise: string;
}

export function createControl(mark: string, on: { readonly begun: () => void; readonly done: () => void }): Control {
  const prefix = `${mark} `;
  const chunks: string[] = [];
  let tail = "";
  let hasStarted = false;
  let isDone = false;

  const text = () => chunks.join("");
  const word = (name: string) => new RegExp(`${prefix}${name}(?: ([^\\n]*))?\\n`, "u").exec(text());
  const number = (name: string) => {
    const result = word(name)?.[1];
    return result === undefined ? undefined : Number(result);
  };

  return {
    add(chunk) {
      const part = Buffer.from(chunk).toString("latin1");
      chunks.push(part);
      const seen = tail + part;
      if (!hasStarted && seen.includes(`${prefix}begun\n`)) {
        hasStarted = true;
        on.begun();
      }
      if (!isDone && seen.includes(`${prefix}done\n`)) {
        isDone = true;
        on.done();
      }
      tail = seen.slice(-(prefix.length + 8));
    },
    group: () => number("pid"),
    report() {
      const output = text();
      const dumped = word("dump");
      const end = output.lastIndexOf(`${prefix}done\n`);
      const hasDump = dumped !== null && end >= 0;
      return {
        hasStarted,
        isStateMissing: word("again") !== null,
        missingLevels: number("nofolder"),
        group: number("pid"),
        status: number("end"),
        isSaved: word("saved") !== null,
        isSame: word("same") !== null,
        checksum: dumped?.[1] ?? "",
        dump: hasDump ? output.slice(dumped.index + dumped[0].length, end) : undefined,
        left: [...output.matchAll(new RegExp(`${prefix}left (\\d+) ([^\\n]*)\\n`, "gu"))].map(([, pid, name = ""]) => ({
          pid: Number(pid),
          name: Buffer.from(name, "latin1").toString(),
        })),
        noise: Buffer.from(output.split(prefix, 1)[0] ?? "", "latin1")
          .toString()
          .trim(),
      };
    },
  };
}
