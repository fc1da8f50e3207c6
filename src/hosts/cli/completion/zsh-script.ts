import { quoteForShell } from "../../../base/text/shell-quote.ts";
import type { CompletionNode } from "./completion-tree.ts";

/** The completion script for zsh. It works with `source`, and as the file `_hermes` in a folder of fpath. */
export function zshScript(nodes: readonly CompletionNode[]): string {
  return `#compdef hermes
# Completion of hermes for zsh, after compinit: source <(hermes completion zsh)
_hermes_node() {
  subs=() opts=() vals=() args=() rest=
  case $1 in
${nodes.map(nodeLines).join("\n")}
  (*) return 1 ;;
  esac
}

_hermes_values() {
  local line
  local -a found
  case $1 in
  (files) _files ;;
  (folders) _files -/ ;;
  ('='*) compadd -- \${=1#=} ;;
  ('@'*)
    for line in "\${(@f)$("$hermes" \${profile:+-p} $profile completion values "\${1#@}" 2>/dev/null </dev/null)}"; do
      [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    done
    _describe -V \${1#@} found ;;
  esac
}

_hermes() {
  local hermes=$words[1] node= profile= word rest
  local -a subs opts args
  local -A vals
  integer i=2 place=0
  _hermes_node ''
  while (( i < CURRENT )); do
    word=$words[i]
    (( i++ ))
    case $word in
    (--) return 1 ;;
    (--*=*) ;;
    (-*)
      (( \${+vals[$word]} )) || continue
      if (( i >= CURRENT )); then
        _hermes_values "$vals[$word]"
        return
      fi
      [[ $word == (-p|--profile) ]] && profile=$words[i]
      (( i++ )) ;;
    (*)
      if (( place == 0 )) && (( \${subs[(I)$word:*]} )) && _hermes_node "\${node:+$node }$word"; then
        node=\${node:+$node }$word
      else
        (( place++ ))
      fi ;;
    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    word=\${PREFIX%%=*}
    compset -P 1 '*='
    _hermes_values "$vals[$word]"
    return
  fi
  if [[ $PREFIX == -* ]]; then
    _describe -o option opts
    return
  fi
  if (( place == 0 && $#subs )); then _describe -V command subs; fi
  if (( place < $#args )); then
    _hermes_values "$args[place+1]"
  elif [[ -n $rest ]]; then
    _hermes_values "$args[-1]"
  fi
}

if [[ $funcstack[1] == _hermes ]]; then
  _hermes "$@"
else
  compdef _hermes hermes
fi
`;
}

function nodeLines({ path, subcommands, options, args, hasRest }: CompletionNode): string {
  const described = (word: string, summary: string) => quoteForShell(`${word.replaceAll(":", "\\:")}:${summary}`);
  const parts = {
    subs: subcommands.map(({ word, summary }) => described(word, summary)),
    opts: options.flatMap(({ names, summary }) => names.map((name) => described(name, summary))),
    vals: options.flatMap(({ names, values }) =>
      values === undefined ? [] : names.flatMap((name) => [name, quoteForShell(values)]),
    ),
    args: args.map((values) => quoteForShell(values)),
  };
  const settings = Object.entries(parts).map(([name, list]) =>
    list.length === 0 ? "" : ` ${name}=(${list.join(" ")})`,
  );
  return `  (${quoteForShell(path)})${settings.join("")}${hasRest ? " rest=1" : ""} ;;`;
}
