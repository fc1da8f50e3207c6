import { words } from "../../base/text/words.ts";

/**
 * Options of the command line that take the next word as their value, for all commands. The command line and the policy,
 * which recognises commands of Hermes in scripts, read words with the same table.
 */
export const valueOptions: ReadonlySet<string> = new Set(
  words(`
  --aggregator --aggregator-temperature --allow --allow-host --approvals --args --as --backend --base-url --branch --category --clone-from
  --completion --component --cwd --days --description --entry --env --fail-on --for-tool --format --from --head --header --host --image
  --import --in --instruction --isolation --key-env --label --language --level --limit --lines --max-tokens --max-turns --model --name
  --older-than --oneshot --only --output --payload-file --platform --port --preset --print-config --profile --provider --query
  --query-file --reasoning --reference --reference-temperature --resume --role --run-budget --session --set --since --skill
  --skill-conflict --skills --sort --source --speed --tag --text --to --tools --toolset --toolsets --transport --until --usage-file --voice
  --workspace-target -d -f -l -m -n -o -p -q -r -s -t -z
`),
);

/** Words before `--` that are neither options nor option values. The first ones name the command. */
export function plainWords(line: readonly string[]): readonly string[] {
  const plain: string[] = [];
  for (let index = 0; index < line.length; index++) {
    const word = line[index] ?? "";
    if (word === "--") break;
    // A word that starts with `-` is never the value of an option, except a single `-`.
    if (valueOptions.has(word) && !/^-./u.test(line[index + 1] ?? "")) index++;
    else if (!word.startsWith("-") || word === "-") plain.push(word);
  }
  return plain;
}
