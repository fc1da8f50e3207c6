#!/bin/sh
# Looks at a compose file for what is missing or dangerous. Usage: check-compose.sh [FILE]
set -eu
file=${1:-compose.yaml}
[ -f "$file" ] || { echo "no such file: $file" >&2; exit 2; }

report=$(awk '
  function say(level, text) { print level ": " name ": " text }
  function done() {
    if (name == "") return
    if (block ~ /image: *[^ \n]+:latest/) say("warning", "the image has the tag latest: name a version")
    else if (block ~ /image:/ && block !~ /image: *[^\n]*[:@][A-Za-z0-9._-]+/) say("warning", "the image has no version")
    if (block !~ /healthcheck:/) say("warning", "no healthcheck")
    if (block !~ /restart:/) say("warning", "no restart policy")
    if (block !~ /memory:|mem_limit:/) say("warning", "no memory limit")
    if (block !~ /logging:/) say("warning", "logs are not bounded")
    if (block ~ /privileged: *true/) say("danger", "privileged: it owns the machine")
    if (block ~ /docker\.sock/) say("danger", "the Docker socket: it owns the machine")
    if (block ~ /network_mode: *"?host/) say("danger", "the network of the machine")
    if (block ~ /pid: *"?host/) say("danger", "sees all processes of the machine")
    if (block ~ /- *"?[0-9]+:[0-9]+"?/ || block ~ /\[ *"?[0-9]+:[0-9]+/) say("warning", "a port is open to every network: begin it with 127.0.0.1:")
    if (block ~ /(PASSWORD|SECRET|TOKEN|API_KEY)[A-Z_]*[:=] *"?[A-Za-z0-9+\/]/ && block !~ /(PASSWORD|SECRET|TOKEN|API_KEY)(_FILE)[:=]/) say("danger", "a secret in plain text: use secrets and *_FILE")
  }
  /^services:/ { inside = 1; next }
  /^[a-zA-Z]/ { if (inside) done(); inside = 0; name = "" }
  inside && /^  [A-Za-z0-9_.-]+: *(#.*)?$/ { done(); name = $1; sub(/:$/, "", name); block = ""; count++; next }
  inside && !/^ *#/ { block = block $0 "\n" }
  END { if (inside) done(); if (count == 0) print "danger: " FILENAME ": no services found" }
' "$file")

[ -z "$report" ] && echo "nothing to say about $file" || printf '%s\n' "$report"
if command -v docker >/dev/null 2>&1 && docker compose version >/dev/null 2>&1; then
  docker compose -f "$file" config -q && echo "docker compose config: fine"
else
  echo "docker compose is not here: the form was not checked"
fi
! printf '%s\n' "$report" | grep -q '^danger'
