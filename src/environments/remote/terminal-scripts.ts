import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { RemoteMachine } from "./open-machine.ts";
import { drainFunction, type RunnerParts, sendState } from "./runner-script.ts";
import { treeFunctions } from "./tree-script.ts";

export interface TerminalParts {
  readonly marker: string;
  /** Printed on a line before the output; missing if the whole terminal output is used. */
  readonly mark?: string;
  readonly cwd: string;
  readonly variables: string;
  /** Defines `prepare` and `start`. */
  readonly code: string;
}

/**
 * Runs a command in the script's own terminal. The status is written to a file: the process group, then the exit code.
 * An interrupt key does not end the script.
 */
export function terminalScript(machine: RemoteMachine, { marker, mark, cwd, variables, code }: TerminalParts): string {
  const file = quoteForShell(`${machine.folder}/tty-${marker}`);
  return `
m=${marker}; D=${quoteForShell(machine.folder)}
trap : INT QUIT TSTP
stty sane iutf8 2>/dev/null || stty sane 2>/dev/null
${code}
prepare
cd ${quoteForShell(cwd)} 2>/dev/null && [ -r ${quoteForShell(variables)} ] && [ ! -e "$D/cancel-$m" ] || exit 126
H=\${HERMES_RUN:+$HERMES_RUN }$m
. ${quoteForShell(variables)}
(umask 077; echo $$ >${file})
${mark === undefined ? "" : `printf '%s\\n' ${mark}`}
(start)
s=$?
echo $s >>${file}
exit $s
`;
}

/** Reports how a command in a terminal ended, as status lines of the runner, and kills its leftover processes. */
export function finishScript(
  machine: RemoteMachine,
  { mark, marker, saveTo, knownChecksum }: Pick<RunnerParts, "mark" | "marker" | "saveTo" | "knownChecksum">,
): string {
  const file = quoteForShell(`${machine.folder}/tty-${marker}`);
  return `
M=${mark}; m=${marker}; D=${quoteForShell(machine.folder)}; L=${quoteForShell(saveTo)}; g=-1; known=; s=; sure=2
say() { printf '%s %s\\n' "$M" "$*" >&2; }
${treeFunctions}
${drainFunction}
[ -r ${file} ] || { say done; exit 0; }
{ read -r g; read -r s; } <${file}
say begun; say pid $g
drain
x="$M pid $g"
[ -n "$s" ] && x="$M end $s"
if [ -s "$L" ]; then
  x="$x
$M saved"
  ${knownChecksum === undefined ? "" : sendState(knownChecksum)}
fi
printf '%s\\n%s done\\n' "$x" "$M" >&2
rm -f ${file} "$L"
exit 0
`;
}
