#!/bin/sh
# Kinds of error lines with counts and first and last time. Usage: summarize-errors.sh [FILE…]   standard input when left out
set -eu
show() { if [ $# -eq 0 ]; then cat; else for f in "$@"; do case $f in *.gz) gzip -dc -- "$f" ;; *) cat -- "$f" ;; esac; done; fi; }
show "$@" | grep -iE '\b(error|fatal|panic|critical|exception|fail(ed|ure)?|warn(ing)?|timed? ?out|refused|denied|traceback)\b' | awk '
  {
    at = ""
    if (match($0, /[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9](:[0-9][0-9])?/)) at = substr($0, RSTART, RLENGTH)
    else if (match($0, /[A-Z][a-z][a-z] [ 0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]/)) at = substr($0, RSTART, RLENGTH)
    kind = $0
    gsub(/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T ][0-9:.,]+(Z|[+-][0-9:]+)?/, "", kind)
    gsub(/^[A-Z][a-z][a-z] [ 0-9][0-9] [0-9:]+ /, "", kind)
    gsub(/[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}/, "<id>", kind)
    gsub(/0x[0-9a-fA-F]+/, "<hex>", kind)
    gsub(/[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+(:[0-9]+)?/, "<address>", kind)
    gsub(/"[^"]*"/, "\"…\"", kind)
    gsub(/[0-9]+/, "#", kind)
    gsub(/[ \t]+/, " ", kind)
    sub(/^[ \[\]]+/, "", kind)
    kind = substr(kind, 1, 160)
    count[kind]++
    if (!(kind in first)) { first[kind] = at; sample[kind] = substr($0, 1, 200) }
    last[kind] = at
    total++
  }
  END {
    printf "%d lines of %d kinds\n", total, length(count)
    for (kind in count) printf "%7d  %s .. %s  %s\n", count[kind], first[kind], last[kind], kind | "sort -nr | head -30"
  }'
