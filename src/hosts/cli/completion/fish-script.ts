import type { CompletionNode } from "./completion-tree.ts";

/**
 * The completion script for fish: one function that walks through the line, because thousands of conditions would make
 * each Tab slow.
 */
export function fishScript(nodes: readonly CompletionNode[]): string {
  return `# Completion of hermes for fish: hermes completion fish | source
function __hermes_node
    set -g __hermes_subs
    set -g __hermes_opts
    set -g __hermes_vals
    set -g __hermes_args
    set -g __hermes_rest
    switch $argv[1]
${nodes.map(nodeLines).join("\n")}
        case '*'
            return 1
    end
end

function __hermes_values
    switch $argv[1]
        case files
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct)
        case '=*'
            string split ' ' -- (string sub -s 2 -- $argv[1])
        case '@*'
            set -l profile
            test -n "$argv[3]"; and set profile -p $argv[3]
            $argv[2] $profile completion values (string sub -s 2 -- $argv[1]) 2>/dev/null </dev/null
    end
end

function __hermes_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l hermes $words[1]
    set -l node ''
    set -l profile ''
    set -l place 0
    set -l i 2
    __hermes_node ''
    while test $i -le (count $words)
        set -l word $words[$i]
        set i (math $i + 1)
        switch $word
            case --
                return
            case '--*=*'
            case '-*'
                set -l index (contains -i -- $word $__hermes_vals[(seq 1 2 (count $__hermes_vals))]); or continue
                if test $i -gt (count $words)
                    __hermes_values $__hermes_vals[(math $index \\* 2)] $hermes $profile
                    return
                end
                contains -- $word -p --profile; and set profile $words[$i]
                set i (math $i + 1)
            case '*'
                set -l path (string trim -- "$node $word")
                if test $place -eq 0; and string match -q -- "$word"\\t'*' $__hermes_subs; and __hermes_node $path
                    set node $path
                else
                    set place (math $place + 1)
                end
        end
    end
    if string match -q -- '-*' $current
        if string match -q -- '--*=*' $current
            set -l option (string split -m 1 = -- $current)[1]
            set -l index (contains -i -- $option $__hermes_vals[(seq 1 2 (count $__hermes_vals))]); or return
            string match -q -r '^[=@]' -- $__hermes_vals[(math $index \\* 2)]; or return
            string replace -r '^' "$option=" -- (__hermes_values $__hermes_vals[(math $index \\* 2)] $hermes $profile)
            return
        end
        printf '%s\\n' $__hermes_opts
        return
    end
    test $place -eq 0; and test (count $__hermes_subs) -gt 0; and printf '%s\\n' $__hermes_subs
    if test $place -lt (count $__hermes_args)
        __hermes_values $__hermes_args[(math $place + 1)] $hermes $profile
    else if test -n "$__hermes_rest"
        __hermes_values $__hermes_args[-1] $hermes $profile
    end
end

complete -c hermes -e
complete -c hermes -f -a '(__hermes_complete)'
`;
}

function nodeLines({ path, subcommands, options, args, hasRest }: CompletionNode): string {
  const described = (word: string, summary: string) => `${quote(word)}\\t${quote(summary)}`;
  const parts = {
    subs: subcommands.map(({ word, summary }) => described(word, summary)),
    opts: options.flatMap(({ names, summary }) => names.map((name) => described(name, summary))),
    vals: options.flatMap(({ names, values }) =>
      values === undefined ? [] : names.flatMap((name) => [quote(name), quote(values)]),
    ),
    args: args.map(quote),
    rest: hasRest ? ["1"] : [],
  };
  const settings = Object.entries(parts).flatMap(([name, list]) =>
    list.length === 0 ? [] : [`            set -g __hermes_${name} ${list.join(" ")}`],
  );
  return [`        case ${quote(path)}`, ...settings].join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
