import { quoteForShell } from "../../../base/text/shell-quote.ts";
import type { CompletionNode } from "./completion-tree.ts";

/**
 * The completion script for bash. It works with bash 3.2, the version of macOS, and never expands a value, because
 * names of skills and models are untrusted.
 */
export function bashScript(nodes: readonly CompletionNode[]): string {
  return `# Completion of hermes for bash: source <(hermes completion bash)
_hermes_node() {
  subs='' opts='' vals='' args='' rest=''
  case $1 in
${nodes.map(nodeLines).join("\n")}
  *) return 1 ;;
  esac
}

_hermes_kind() {
  kind=-
  case " $vals " in *" $1:"*) kind=" $vals "; kind=\${kind#*" $1:"}; kind=\${kind%% *} ;; esac
}

_hermes_add() {
  local word=$1
  [[ $word == "$cur"* ]] || return 0
  [[ $word == *[^a-zA-Z0-9_./:@%+,=-]* ]] && printf -v word %q "$word"
  COMPREPLY+=("\${word#"$cut"}")
}

_hermes_values() {
  local value about IFS=$'\\n'
  case $1 in
  files) type compopt >/dev/null 2>&1 && compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
  folders) type compopt >/dev/null 2>&1 && compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")) ;;
  =*) value=\${1#=}; IFS=,; for value in $value; do _hermes_add "$value"; done ;;
  @*) while IFS=$'\\t' read -r value about; do _hermes_add "$value"; done \\
    < <("$hermes" \${profile:+-p "$profile"} completion values "\${1#@}" 2>/dev/null </dev/null) ;;
  esac
}

_hermes() {
  local hermes=$1 cur=\${COMP_WORDS[COMP_CWORD]} node='' profile='' subs opts vals args rest kind=- cut='' word i=1 place=0
  local before=\${COMP_LINE:0:COMP_POINT}
  before=\${before##*[[:space:]]}
  case $COMP_WORDBREAKS in *:*) [[ $before == *:* && $before != *[\\'\\"]* ]] && cur=$before cut=\${before%:*}: ;; esac
  COMPREPLY=()
  _hermes_node ''
  while [ $i -lt "$COMP_CWORD" ]; do
    word=\${COMP_WORDS[i]}
    i=$((i + 1))
    case $word in
    --) return ;;
    -*)
      _hermes_kind "$word"
      [ "$kind" = - ] && continue
      [ "\${COMP_WORDS[i]}" = = ] && i=$((i + 1))
      if [ $i -ge "$COMP_CWORD" ]; then
        [ "$cur" = = ] && cur=''
        _hermes_values "$kind"
        return
      fi
      case $word in -p | --profile) profile=\${COMP_WORDS[i]} ;; esac
      i=$((i + 1)) ;;
    *)
      if [[ " $subs " == *" $word "* ]] && _hermes_node "\${node:+$node }$word"; then
        node=\${node:+$node }$word
      else
        place=$((place + 1))
      fi ;;
    esac
  done
  if [[ $cur == -* ]]; then
    for word in $opts; do _hermes_add "$word"; done
    return
  fi
  if [ $place -eq 0 ]; then for word in $subs; do _hermes_add "$word"; done; fi
  i=0
  for word in $args; do
    if [ $i -eq $place ]; then _hermes_values "$word"; fi
    i=$((i + 1))
  done
  if [ -n "$rest" ] && [ $i -le $place ]; then _hermes_values "$word"; fi
}

complete -o default -F _hermes hermes
`;
}

function nodeLines({ path, subcommands, options, args, hasRest }: CompletionNode): string {
  const values = options.flatMap(({ names, values: kind }) =>
    kind === undefined ? [] : names.map((name) => `${name}:${compact(kind)}`),
  );
  const parts = {
    subs: subcommands.map(({ word }) => word).join(" "),
    opts: options.flatMap(({ names }) => names).join(" "),
    vals: values.join(" "),
    args: args.map(compact).join(" "),
    rest: hasRest ? "1" : "",
  };
  const settings = Object.entries(parts).map(([name, text]) => (text === "" ? "" : ` ${name}=${quoteForShell(text)}`));
  return `  ${quoteForShell(path)})${settings.join("")} ;;`;
}

/** One word for each kind of value; \`+\` means any text. */
function compact(values: string): string {
  return values === "" ? "+" : values.replaceAll(" ", ",");
}
