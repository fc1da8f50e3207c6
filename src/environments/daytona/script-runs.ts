import { quoteForShell } from "../../base/text/shell-quote.ts";

/**
 * How a script runs in a sandbox that offers only "run this command and return its text". Each run has its own folder
 * there. Creating that folder starts the script, so the script cannot start twice when a request is repeated or late.
 * Its output is split into numbered pieces, a few at a time. A piece stays until a later one is requested, so
 * requesting the same piece again returns the same bytes.
 */
export interface RunPosition {
  readonly id: string;
  /** The next piece of output. */
  readonly piece: number;
  /** Number of control bytes read so far. */
  readonly controlBytes: number;
}

export interface RunReport {
  /** `void`: the script has not started and never will. `cut`: output was lost, for example on a full disk. */
  readonly is: "running" | "ended" | "void" | "cut";
  readonly exitCode: number;
  readonly output: Buffer;
  readonly control: Buffer;
  readonly next: RunPosition;
}

export interface ScriptRuns {
  /** The first command in a sandbox: creates a private folder and removes files of earlier programs. */
  prepare(): string;
  /** Files of a run to upload before it starts: `stdin`, and `script` unless it is passed to `begin`. */
  pathOf(id: string, part: "script" | "stdin"): string;
  /** Starts the script. Its output is a report, as for `ask`. */
  begin(
    run: { readonly id: string; readonly script?: string; readonly hasInput: boolean },
    request: ScriptRequest,
  ): string;
  /** Returns new output or the end. A run that has not started will never start after this. */
  ask(position: RunPosition, request: ScriptRequest): string;
  /** Only deletes the records of runs. A run that is still active ends at its next output. */
  forget(request: Pick<ScriptRequest, "done">): string;
}

export interface ScriptRequest {
  /** How long to wait for new output. */
  readonly waitMs: number;
  /** Runs whose records can be deleted. */
  readonly done: readonly string[];
}

/** Creates the commands that control runs. `folder`: the folder for temporary files in the sandbox. */
export function scriptRuns(folder: string): ScriptRuns {
  const base = `${folder}/hermes-runs`;
  const head = (id: string, done: readonly string[]) => `umask 077
b=${quoteForShell(base)} d=${quoteForShell(`${base}/${id}`)}
mkdir -p "$b" || exit 1
for x in ${done.join(" ")}; do rm -rf "$b/$x" "$b/$x.script" "$b/$x.stdin" "${spare}$x"; done
`;
  return {
    prepare: () => wrapped(head("", []) + sweep),
    pathOf: (id, part) => `${base}/${id}.${part}`,
    begin({ id, script, hasInput }, { waitMs, done }) {
      const first = head(id, done) + begin(id, script, hasInput);
      return wrapped(first + report({ id, piece: 0, controlBytes: 0 }, waitMs));
    },
    ask: (position, { waitMs, done }) => wrapped(head(position.id, done) + claim + report(position, waitMs)),
    forget: ({ done }) => wrapped(head("", done)),
  };
}

/** Parses a report. Undefined: the text is not a report. */
export function readReport(result: string, { id, piece, controlBytes }: RunPosition): RunReport | undefined {
  const pattern = `${id}:(void|run|end|cut):(\\d*):(\\d*):([A-Za-z0-9+/=]*):([A-Za-z0-9+/=]*):`;
  const [match, is = "", exitCode, next, output, control] = new RegExp(pattern, "u").exec(result) ?? [];
  if (match === undefined) return undefined;
  const controlOutput = Buffer.from(control ?? "", "base64");
  return {
    is: is === "end" ? "ended" : is === "void" || is === "cut" ? is : "running",
    exitCode: Number(exitCode),
    output: Buffer.from(output ?? "", "base64"),
    control: controlOutput,
    next: { id, piece: next === "" ? piece : Number(next), controlBytes: controlBytes + controlOutput.length },
  };
}

/** Longer scripts are uploaded: the kernel accepts no argument over 128 KiB. */
export const maxInlineBytes = 48_000;

/**
 * Old toolboxes split the command at quotes themselves, newer ones pass it to a shell: both give the same words for
 * this text.
 */
function wrapped(text: string): string {
  return `sh -c 'eval "$(echo ${base64(text)} | base64 -d)"'`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** A folder in memory, for runs on a full disk: a command that frees space must be able to run. */
const spare = "/dev/shm/hermes-run-";

const sweep = `
for x in "$b"/*/w/end; do
  [ -e "$x" ] && [ -n "$(find "$x" -mmin +60)" ] || continue
  x=\${x%/w/end}
  rm -rf "$x" "${spare}\${x##*/}"
done
exit 0
`;

function begin(id: string, script: string | undefined, hasInput: boolean): string {
  const putScript = script === undefined ? `mv "$b/${id}.script" script` : `echo ${base64(script)} | base64 -d >script`;
  const putInput = hasInput ? `mv "$b/${id}.stdin" stdin` : ": >stdin";
  return `
if mkdir "$d" 2>/dev/null; then
  mkdir "$d/w" && cd "$d/w" || exit 1
  if ! head -c 131072 /dev/zero >part 2>/dev/null; then
    cd .. && rm -rf w && mkdir "${spare}${id}" && ln -s "${spare}${id}" w && cd w || exit 1
  fi
  ${putScript} && ${putInput} && mkfifo pipe && echo ${base64(pump)} | base64 -d >pump || exit 1
  head -c 8192 /dev/zero >control || exit 1
  setsid sh ./pump </dev/null >/dev/null 2>&1 &
fi
`;
}

/**
 * Splits the output of the script into pieces. If no caller fetches them, the pump stops reading and the script blocks;
 * after ten minutes the pump exits, which ends the script at its next write. The control file has its size from the
 * beginning, so that the script can report its start even if the disk is full.
 */
const pump = `
( sh ./script <stdin >pipe 2<>control; : >"code.$?" ) &
exec 3<pipe
n=0
while dd bs=65536 count=1 <&3 >part 2>/dev/null || : >cut; [ -s part ]; do
  mv part piece.$n || exit 1
  n=$((n + 1)) w=0
  while [ -e piece.$((n - 64)) ]; do
    w=$((w + 1))
    [ $w -lt 12000 ] || exit 1
    sleep 0.05
  done
done
exec 3<&-
wait
: >end
`;

const claim = `
if mkdir "$d" 2>/dev/null; then : >"$d/void"; fi
`;

function report({ id, piece, controlBytes }: RunPosition, waitMs: number): string {
  return `
if [ -e "$d/void" ]; then echo "${id}:void:::::"; exit 0; fi
cd "$d/w" || exit 1
i=0
while ! [ -e piece.${piece} ] && ! [ -e end ] && [ $i -lt ${Math.ceil(waitMs / 50)} ]; do
  if [ $i -lt 10 ]; then sleep 0.01; else sleep 0.05; fi
  i=$((i + 1))
done
n=$((${piece} - 1))
while [ $n -ge 0 ] && [ -e piece.$n ]; do
  rm -f piece.$n
  n=$((n - 1))
done
s=run c=
if [ -e end ]; then
  s=end
  for x in code.*; do c=\${x#code.}; done
fi
n=${piece}
set --
while [ $# -lt 16 ] && [ -e piece.$n ]; do
  set -- "$@" piece.$n
  n=$((n + 1))
done
o=
if [ $# -gt 0 ]; then o=$(cat "$@" | base64 | tr -d '\\n'); fi
m=$(tr -d '\\0' <control | tail -c +${controlBytes + 1} | head -c ${maxControlBytes} | base64 | tr -d '\\n')
if [ -e piece.$n ] || [ \${#m} -gt ${maxControlBytes} ]; then s=run; fi
if [ $s = end ] && [ -e cut ]; then s=cut; fi
echo "${id}:$s:$c:$n:$o:$m:"
`;
}

const maxControlBytes = 512 * 1024;
