import { words } from "../../../base/text/words.ts";
import { type Fact, rule } from "../fact.ts";
import type { Field } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { readOptions } from "./options.ts";

/** Recognises deletions by programs without a table, by common verbs: `certbot delete`, `drush sql-drop`. */
export function deletionFacts(
  args: readonly Field[],
  { argv: [program] }: SimpleCommand,
  name: string,
): readonly Fact[] {
  if (changingCmdlet.test(name))
    return args.some(({ text }) => /^-whatif$/iu.test(text)) ? [] : [rule("windows", ...args)];
  if (!program || program.text.includes("/") || talking.has(program.text)) return [];
  const { operands, options } = readOptions(args);
  if (options.some(({ name }) => /^dry-?run$|^help$|^list$/u.test(name))) return [];
  const isEarly = operands
    .slice(0, 2)
    .some(({ text }) =>
      /^(?:\w+[:.]|sql-|db-|site-)?(?:delete|destroy|drop|purge|terminate|wipe|nuke|revoke|teardown|rmr|del|expunge|flush_all|remove-(?:all|older))(?:[:-]\w+)*$/u.test(
        text,
      ),
    );
  // `apt-cache show secure-delete` only mentions the word.
  const words = reading.test(operands[0]?.text ?? "") ? plainlyDeleting : deleting;
  const isAnywhere =
    words.test(program.text.replace(/\.\w+$/u, "")) ||
    operands.some(({ text }) => words.test(text)) ||
    args.some(({ text }) => deletingOption.test(text));
  const isObject = [...operands.map(({ text }) => text), ...options.map((option) => option.name)].some((text) =>
    losable.test(text),
  );
  const isWeak = isObject && operands.some(({ text }) => /^(?:\w+[:_-])?(?:purge|reset|revoke|format)$/u.test(text));
  const isPruning =
    options.some((option) => /^(?:confirm|force|yes|all|[fya])$/u.test(option.name)) &&
    operands.slice(0, 2).some(({ text }) => text === "prune");
  return isEarly || isAnywhere || isWeak || isPruning ? [rule("told_to_delete", ...args)] : [];
}

/** Matches a verb of deletion as a word, or as part of a name that is not a file name. */
const deleting = /^(?:[\w:.]*[-_:.])?(?:delete|destroy|erase|wipe|obliterate)(?:[-_:][\w:-]*)?$/u;

/** Options that delete much more than one entry: `--remove-all`, `-deleteduplicates`. */
const deletingOption =
  /^--?(?:delete|remove|erase|wipe|destroy|purge)-?(?:all|everything|duplicates?|data|originals?|db|database|history|contents)(?:=|$)/u;

const plainlyDeleting = /^(?:delete|destroy|erase|wipe|obliterate)$/u;

const reading = /^(?:show|search|info|describe|view|status|get|explain|policy|r?depends|why|list)$/u;

/** Objects whose data is lost when they are reset, purged or formatted. */
const losable =
  /^(?:db|data(?:base)?s?|disks?\d*|volumes?\d*|clusters?|users?|accounts?|tokens?|keys?|cert(?:ificate)?s?|sessions?|queues?|topics?|ind(?:ex|ices)|buckets?|stor(?:e|age)|prod(?:uction)?|factory|devices?|all|schemas?|tables?|nodes?|vms?|instances?|projects?|state|partitions?|(?:hd|sd|usb)\w?)$/iu;

/** Returns whether the arguments are only text, names or files. */
export function onlyPrintsArguments(name: string): boolean {
  return talking.has(name);
}

/** PowerShell cmdlets are named after their effect: `Remove-Item`, `Stop-Service`. */
const changingCmdlet =
  /^(?:remove|clear|stop|restart|suspend|disable|uninstall|register|unregister|initialize|reset|limit)-(?!(?:host|variable|module|transcript|job)$)[a-z]\w+$/u;

/** Programs whose arguments are only text, names or files. */
const talking: ReadonlySet<string> = new Set(
  words(`
  echo printf print say logger notify-send banner figlet cowsay lolcat man apropos whatis info tldr cheat dict look
  spell aspell whereis which type hash help cd ls dir tree stat file test [ [[ let expr seq sleep true false : read
  export declare typeset local readonly unset alias unalias set shift return exit break continue trap eval exec
  pushd popd dirs jobs fg bg wait disown bind complete compgen getopts times ulimit umask mapfile readarray basename
  dirname realpath readlink pwd id whoami date cal uname hostname uptime who w last ps top htop free df du lsof env
  printenv nproc arch clear reset tput stty tty yes factor numfmt sum cksum md5sum sha1sum sha256sum shasum b2sum
  tsc eslint prettier jest vitest mocha pytest tox ruff black mypy flake8 pylint rspec phpunit go cargo rustc gcc g++
  cc clang cmake ninja meson bazel buck just task nx turbo gulp grunt webpack vite rollup esbuild swc babel storybook
  playwright cypress ctest act pre-commit commitlint husky lint-staged changeset standard-version jq yq xq dasel gron
  fzf sk peco rofi dmenu tokei cloc scc loc hyperfine entr watchexec nodemon mkdocs sphinx-build hugo jekyll
  function select until while for if case
`),
);
