import { quoteForShellIfNeeded } from "../../../base/text/shell-quote.ts";
import { words } from "../../../base/text/words.ts";
import { programName } from "../../command/programs/program-name.ts";
import { hole } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { commandSubject, type Subject } from "./subject.ts";

/**
 * Returns the subject of each command of a script, including the words of the programs that run it: an approval of `ssh
 * here rm x` does not cover `ssh there rm x`. A search that runs a command is itself the subject, because it determines
 * the files.
 */
export function subjectsOf(commands: readonly SimpleCommand[]): (ran: SimpleCommand) => Subject {
  const runners = runnersOf(commands);
  const subjectOf = (ran: SimpleCommand): Subject => {
    const runner = runners.get(ran);
    if (runner && searches.has(programName(runner.argv[0]) ?? "")) return subjectOf(runner);
    return commandSubject(ran, viaOf(ran, runners));
  };
  return subjectOf;
}

/** Maps each command to the command that runs it, which directly precedes it. */
function runnersOf(commands: readonly SimpleCommand[]): ReadonlyMap<SimpleCommand, SimpleCommand> {
  const runners = new Map<SimpleCommand, SimpleCommand>();
  /** The last command at each depth. */
  const above: (SimpleCommand | undefined)[] = [];
  for (const ran of commands) {
    const depth = ran.via.length;
    const runner = depth === 0 ? undefined : above[depth - 1];
    if (runner && programName(runner.argv[0]) === firstWord(ran.via.at(-1) ?? "")) runners.set(ran, runner);
    above[depth] = ran;
    above.length = depth + 1;
  }
  return runners;
}

/**
 * Returns the programs that run the command, outermost first. Includes their arguments if these determine the user, the
 * folder or the machine.
 */
function viaOf(ran: SimpleCommand, runners: ReadonlyMap<SimpleCommand, SimpleCommand>): readonly string[] {
  const via: string[] = [];
  let inner: SimpleCommand | undefined = ran;
  for (const name of ran.via.toReversed()) {
    const runner: SimpleCommand | undefined = inner && runners.get(inner);
    via.unshift(movers.has(firstWord(name)) ? ownWords(name, runner, inner) : name);
    inner = runner;
  }
  return via;
}

function ownWords(name: string, runner: SimpleCommand | undefined, inner: SimpleCommand | undefined): string {
  if (runner === undefined || inner === undefined) return `${name} ${hole}`;
  const tail = runner.argv.slice(-inner.argv.length);
  const isTail = tail.length < runner.argv.length && tail.every(({ text }, index) => text === inner.argv[index]?.text);
  const own = isTail ? runner.argv.slice(1, -inner.argv.length) : runner.argv.slice(1);
  return [firstWord(name), ...own.map(({ text }) => quoteForShellIfNeeded(text))].join(" ");
}

/** Returns the program of a compound name: `docker` for `docker run`. */
function firstWord(name: string): string {
  return name.split(" ")[0] ?? name;
}

const searches: ReadonlySet<string> = new Set(["find", "fd", "fdfind"]);

/** Programs that run a command as another user, in another place, or on another machine. */
const movers: ReadonlySet<string> = new Set(
  words(`
  sudo doas pkexec su runuser ssh docker podman nerdctl docker-compose kubectl oc chroot nsenter unshare bwrap lxc
  lxc-attach machinectl systemd-run flatpak-spawn wsl vagrant gcloud aws mosh pdsh ansible
`),
);
