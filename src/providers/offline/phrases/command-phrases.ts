import { quoteForShellIfNeeded } from "../../../base/text/shell-quote.ts";
import { pathOf, type Phrase, phrase } from "../phrase.ts";

const run = "(?:run|execute|exec|do|launch|call|try|führe|fuehre|exécute|execute|lance|starte)";
const start = "(?:start|run|launch|execute|starte|lance)";
const background = "(?:in (?:the )?background|as a background process|im hintergrund|en arrière-plan|en arriere-plan)";
const kill = "(?:stop|kill|end|terminate|quit|beende|stoppe|arrête|arrete)";
const what =
  "(?:(?:this|these|the following|following)(?: shell| terminal)?(?: commands?)?: |(?:the )?(?:shell |terminal )?(?:(?:command|commands|program|script|befehl|commande)(?![^\\s:]))?:?)";

/** What people call scripts of a project that have other names. */
const scripts: ReadonlyMap<string, string> = new Map([
  ["linter", "lint"],
  ["formatter", "format"],
  ["dev server", "dev"],
]);

/** Programs whose name says that a command follows, and no sentence. */
const programs =
  "git|npm|npx|pnpm|yarn|node|deno|bun|python3?|pip3?|ruby|perl|php|go(?= (?:build|run|test|mod|get|fmt|vet|install|version|env|list|tool|generate|work|clean)\\b)|cargo|rustc|java|mvn|gradle|docker|podman|kubectl|ls|ll|cat|head|tail|grep|rg|pwd|cd|echo|printf|wc|du|df|ps|uname|whoami|hostname|id|env|curl|wget|tar|zip|unzip|chmod|chown|mkdir|rmdir|rm|mv|cp|ln|sed|awk|tree|ssh|scp|sudo|bash|sh|zsh|jq|tsc|eslint|pytest|touch|uptime|free|sleep|true|false|seq|diff|stat";

export const commandPhrases: readonly Phrase[] = [
  phrase(`(?:${start} )?(?:a )?(?:background process|server):? <command>`, (part, heard) => {
    const command = commandOf(part("command"), heard.masked);
    // "start a server on port 80" names none.
    const isOne = heard.masked.isQuoted(part("command") ?? "") || isProgram.test(command);
    return isOne ? { does: "start", command } : undefined;
  }),
  phrase(`${start} ${what}\\s*<command> ${background}(?: in <folder>)?`, (part, heard) => {
    return { does: "start", command: commandOf(part("command"), heard.masked), ...inFolder(part("folder"), heard) };
  }),
  phrase(`(?:in (?:the )?background,? )?${start} <command> ${background}`, (part, heard) => {
    return { does: "start", command: commandOf(part("command"), heard.masked) };
  }),
  phrase(`in (?:the )?background,? ${start} <command>`, (part, heard) => {
    return { does: "start", command: commandOf(part("command"), heard.masked) };
  }),
  phrase(
    "(?:show|list|see|display|what are|which|what|zeige|liste|montre)(?: me)?(?: all)?(?: the| my| die| les)? (?:(?:running |background )+(?:processes|process|jobs|commands|tasks)|processes|jobs|prozesse|processus)(?: (?:are )?(?:running|there))?",
    () => ({ does: "processes" }),
  ),
  phrase(
    "(?:what is|what's|is anything|anything|was läuft|qu'est-ce qui tourne)(?: still)?(?: running)?(?: in the background)?",
    (_, { masked }) => (/running|läuft|tourne|background/iu.test(masked.text) ? { does: "processes" } : undefined),
  ),
  phrase(
    `${kill} (?:all|every|alle|tous)(?: the| my| les)?(?: background| running)*(?: process(?:es)?| jobs?| prozesse| processus)?`,
    () => ({
      does: "stop",
    }),
  ),
  phrase(
    `${kill}(?: the| my| den| le)?(?: background)?(?: process| job| server| prozess| processus| it)?(?: called| named| with id| id)?(?: <which>)?`,
    (part, heard) => {
      const which = part("which");
      if (which === undefined)
        return /process|job|server|prozess|processus|\bit$/iu.test(heard.masked.text)
          ? { does: "stop", which: "" }
          : undefined;
      return { does: "stop", which: /^(?:it|this|that)$/iu.test(which) ? "" : heard.masked.meant(which) };
    },
  ),
  phrase(
    "(?:(?:show|read|check|see|what is|what's|get|look at|zeige)(?: me)?(?: the)? (?:output|log|logs|status|ausgabe)(?: of| from| for| von)(?: the| my)?(?: background)?(?: process| job)?|check on(?: the)?(?: process| job)?|how is(?: the)?(?: process| job)?|poll(?: the)?(?: process)?) <which>(?: doing| going)?",
    (part, { masked }) => ({ does: "look", which: masked.meant(part("which") ?? "") }),
  ),
  phrase(
    "wait (?:for|until)(?: the)?(?: background)?(?: process| job| command)? <which>(?: (?:ends|is done|finishes|has ended|to (?:end|finish)))?",
    (part, { masked }) => ({
      does: "wait",
      which: masked.meant(part("which") ?? ""),
    }),
  ),
  phrase(`\\$ ?<command>`, (part, heard) => ({ does: "run", command: heard.masked.written(part("command") ?? "") })),
  phrase(`(?:run|execute)(?: the| my| all| our)*(?: unit)? tests?(?: suite)?(?: in <folder>)?`, (part, heard) => ({
    does: "run",
    command: "npm test",
    ...inFolder(part("folder"), heard),
  })),
  phrase(
    "(?:run|execute|start)(?: the| my| our) (?<script>build|linter?|formatter|format|dev server)(?: script)?",
    (part) => ({
      does: "run",
      command: `npm run ${scripts.get(part("script")?.toLowerCase() ?? "") ?? part("script")}`,
    }),
  ),
  phrase(`in(?: the)?(?: folder| directory)? <folder>,? ${run} ${what}\\s*<command>`, (part, heard) => {
    return { does: "run", command: commandOf(part("command"), heard.masked), ...inFolder(part("folder"), heard) };
  }),
  phrase(
    `${run} ${what}\\s*<command> (?:in|inside|from|within)(?: the)?(?: folder| directory| dir)? <folder>(?: folder| directory| dir)?(?: aus)?`,
    (part, heard) => {
      const command = commandOf(part("command"), heard.masked);
      const folder = pathOf(part("folder"), heard);
      if (folder === undefined || !isCommand(command, part("command"), heard.masked)) return undefined;
      return { does: "run", command, workdir: folder };
    },
  ),
  phrase(`${run} ${what}\\s*<command>(?: aus)?`, (part, heard) => {
    const command = commandOf(part("command"), heard.masked);
    return isCommand(command, part("command"), heard.masked) ? { does: "run", command } : undefined;
  }),
  phrase(
    "(?:(?:what(?:'s| is)|show|show me|tell me) (?:the )?(?:current |today's )?(?:time|date)|what time is it|what day is (?:it(?: today)?|today)|wie spät ist es|quelle heure est-il)",
    () => ({
      does: "run",
      command: "date",
    }),
  ),
  phrase(
    "(?:where (?:am i|are we|are you)|(?:what|which)(?:'s| is)?(?: the| my)?(?: current| working)* (?:folder|directory|dir)(?: is this| am i in| are we in)?|wo bin ich|où suis-je)",
    () => ({ does: "run", command: "pwd" }),
  ),
  phrase(
    "(?:show|show me|what is|what's|see|check)(?: the| my)? git (?:log|history)|what were the last commits|show (?:me )?(?:the )?(?:last |latest )?commits",
    () => ({
      does: "run",
      command: "git log --oneline -20",
    }),
  ),
  phrase("(?:show|show me|what is|what's|see|check)(?: the| my)? git status|what (?:has )?changed(?: here)?", () => ({
    does: "run",
    command: "git status --short",
  })),
  phrase("(?:show|show me|see)(?: the| my)?(?: git)? (?:diff|changes)", () => ({ does: "run", command: "git diff" })),
  phrase(
    "(?:count|how many)(?: the)? (?<what>lines|words) (?:in|of|does|are in|has)(?: the file)? <path>(?: have| has)?",
    (part, heard) => {
      const path = pathOf(part("path"), heard);
      const counts = part("what")?.toLowerCase() === "words" ? "-w" : "-l";
      return path === undefined
        ? undefined
        : { does: "run", command: `wc ${counts} -- ${quoteForShellIfNeeded(path)}` };
    },
  ),
  phrase(
    "(?:(?:show|show me) )?(?:the )?last <number> lines? (?:of|in|from)(?: the)?(?: file)? <path>",
    (part, heard) => {
      const path = pathOf(part("path"), heard);
      const command = `tail -n ${part("number")} -- ${quoteForShellIfNeeded(path ?? "")}`;
      return path === undefined ? undefined : { does: "run", command };
    },
  ),
  phrase(
    "how much (?:disk )?space (?:is (?:there|free|left)|do (?:i|we) have)(?: free| left)?|is (?:the|my) disk full",
    () => ({ does: "run", command: "df -h ." }),
  ),
  phrase(
    "(?:count|how many)(?: the)? files(?: are)?(?: there)?(?: (?:(?:in|under|below)(?: the)?(?: folder)? <folder>|here))?",
    (part, heard) => {
      const folder = pathOf(part("folder"), heard) ?? ".";
      return {
        does: "run",
        command: `find ${quoteForShellIfNeeded(folder.startsWith("-") ? `./${folder}` : folder)} -type f | wc -l`,
      };
    },
  ),
  phrase(
    "(?:how (?:large|big) is|what(?:'s| is) the size of)(?: the| my)?(?: folder| file)? <path>(?: folder)?",
    (part, heard) => {
      const isHere = /^(?:this|it|here)$/iu.test(part("path") ?? "");
      const path = isHere ? "." : pathOf(part("path"), heard);
      return path === undefined ? undefined : { does: "run", command: `du -sh -- ${quoteForShellIfNeeded(path)}` };
    },
  ),
  phrase(
    "(?:which|what)(?: of these| of the)?(?: is the)? files?(?: here)?(?: is(?: the)?)? (?:largest|biggest)(?: files?)?(?: here)?|(?:which|what) is the (?:largest|biggest) file(?: here)?",
    () => ({
      does: "run",
      command: "ls -lS | head -n 6",
    }),
  ),
  phrase(
    "(?:what|which) version of (?<program>[\\w.+-]+) (?:do i have|is this|is installed|is there|have i got|are we on)",
    (part) => ({
      does: "run",
      command: `${part("program")?.toLowerCase()} --version`,
    }),
  ),
  phrase("(?:is|do i have|have i got) (?<program>[\\w.+-]+)(?: installed| here| there)", (part) => ({
    does: "run",
    command: `command -v ${part("program")?.toLowerCase()}`,
  })),
  phrase("who am i", () => ({ does: "run", command: "whoami" })),
  phrase(
    "(?:go|change|switch) (?:in)?to(?: the)?(?: folder| directory)? <folder>(?: folder| directory)?",
    (part, heard) => {
      const folder = pathOf(part("folder"), heard);
      return folder === undefined ? undefined : { does: "run", command: `cd -- ${quoteForShellIfNeeded(folder)}` };
    },
  ),
];

/** A command and nothing else: `git status`, `./build.sh --fast`. */
export const bareCommands: readonly Phrase[] = [
  phrase(
    `(?!(?:head|tail|free|touch|true|false|sleep|cat|diff|id)$)(?<command>(?:${programs})(?: .+)?|find [./~][^ ]* -.+)`,
    (part, { masked }) => {
      // A sentence begins with a capital, a program does not.
      const command = masked.written(part("command") ?? "").replace(/^[A-Z]/u, (first) => first.toLowerCase());
      return { does: "run", command };
    },
  ),
  phrase("(?<command>(?:\\.{1,2}/|~/|/[^\\s/]+/)[^\\s]+(?: .+)?)", (part, { masked }) => ({
    does: "run",
    command: masked.written(part("command") ?? ""),
  })),
];

function commandOf(captured: string | undefined, masked: { meant(text: string): string }): string {
  return masked.meant(captured ?? "").trim();
}

/** "run a marathon" is none, and neither is "try harder". Quoted, it always is one. */
function isCommand(
  command: string,
  captured: string | undefined,
  masked: { readonly text: string; isQuoted(text: string): boolean },
): boolean {
  if (command === "") return false;
  if (masked.isQuoted(captured ?? "")) return true;
  if (
    /^(?:commands?|programs?|scripts?)$|^(?:a|an|the|it|that|this|something|anything|some|my|your|me|away|out|eine?n?|une?|le|la|les)\b(?![./-])/iu.test(
      command,
    )
  )
    return false;
  // The rest of a sentence is no argument.
  if (/\s(?:and|then) (?:save|write|put|show|tell|explain|fix|store|send|give)\s/iu.test(command)) return false;
  return /^(?:in\b.*\s)?(?:run|execute|exec|führe|fuehre|exécute)\b/iu.test(masked.text) || isProgram.test(command);
}

const isProgram = new RegExp(`^(?:${programs}|\\S*/\\S*)(?:\\s|$)`, "u");

function inFolder(captured: string | undefined, heard: Parameters<typeof pathOf>[1]): { workdir?: string } {
  const folder = pathOf(captured, heard);
  return folder === undefined ? {} : { workdir: folder };
}
