#!/bin/sh
# Lists risky places in shell scripts. Changes nothing. Usage: check-script.sh FILE…
set -eu
[ $# -ge 1 ] || { echo "usage: check-script.sh FILE..." >&2; exit 2; }
hits=$(mktemp)
trap 'rm -f "$hits"' EXIT
note() { # FILE TEXT PATTERN: code lines that match, without comments
  grep -nE -- "$3" "$1" | grep -vE '^[0-9]+:[[:blank:]]*#' | while IFS= read -r line; do printf "%s:%s: %s: %s\n" "$1" "${line%%:*}" "$2" "$(printf "%s" "${line#*:}" | sed "s/^ *//")"; done >>"$hits" || true
}
for file in "$@"; do
  [ -f "$file" ] || { echo "no such file: $file" >&2; exit 2; }
  first=$(head -n 1 "$file")
  case $first in *bash*) shell=bash ;; *) shell=sh ;; esac
  command -v "$shell" >/dev/null || shell=sh
  syntax=$("$shell" -n "$file" 2>&1) || echo "$file: syntax: $syntax" >>"$hits"
  case $first in "#!"*) ;; *) echo "$file:1: no #! line" >>"$hits" ;; esac
  grep -qE '^[[:blank:]]*set -[a-z]*e' "$file" || echo "$file:1: no set -e: it goes on after an error" >>"$hits"
  grep -qE '^[[:blank:]]*set -[a-z]*u' "$file" || echo "$file:1: no set -u: an unset variable is empty" >>"$hits"
  note "$file" "deletes below a variable that may be empty" 'rm +(-[a-zA-Z]+ +)*-[a-zA-Z]*[rR][a-zA-Z]* +(-- +)?"?\$(\{[A-Za-z_0-9]+\}|[A-Za-z_0-9]+)"?/'
  note "$file" "unquoted variable" '(rm|cp|mv|cat|mkdir|chmod|chown) ([^"|;&]* )?\$[A-Za-z_{]'
  note "$file" "unquoted variable in a test" '\[ +(-[a-z] +)?\$[A-Za-z_{]'
  grep -qE '^[[:blank:]]*set -[a-z]*e' "$file" || note "$file" "cd without a check" '^[[:blank:]]*cd +[^|&;]+$'
  note "$file" "loop over ls" 'for +[a-zA-Z_]+ +in +(\$\(|`)ls'
  note "$file" "read without -r" '(^|[;|(&]|while|IFS=[^[:blank:]]*)[[:blank:]]*read +[a-zA-Z_]'
  note "$file" "fixed name in /tmp" '(>|=|mkdir( -p)?) *"?/tmp/[A-Za-z]'
  note "$file" "eval" '(^|[;&|[:blank:]])eval[[:blank:]]'
  note "$file" "backticks: write \$(…)" '`[^`]+`'
  case $first in *bash*) continue ;; esac
  note "$file" "Bash in a sh script" '(^|[[:blank:]])\[\[ |(^|[[:blank:]])(local|declare|source|function) [a-zA-Z_/."$]|<<< *["$a-z]|&>|\$\{[a-zA-Z_]+\[|(^|[[:blank:]])[a-z_]+=\('
done
cat "$hits"
count=$(wc -l <"$hits" | tr -d ' ')
echo "$count places in $# files"
[ "$count" -eq 0 ]
