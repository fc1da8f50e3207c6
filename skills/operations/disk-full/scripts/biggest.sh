#!/bin/sh
# What takes most space below a folder, on its file system. Changes nothing. Usage: biggest.sh [FOLDER] [COUNT]
set -eu
folder=${1:-.}
most=${2:-20}
[ -d "$folder" ] || { echo "no such folder: $folder" >&2; exit 2; }
echo "== $(df -hP "$folder" | tail -1)"
echo "== folders (KB)"
du -xk "$folder" 2>/dev/null | sort -nr | head -n "$most"
echo "== files (KB)"
find "$folder" -xdev -type f -size +1000k -exec du -k {} + 2>/dev/null | sort -nr | head -n "$most"
echo "== many small files (count, folder)"
find "$folder" -xdev -type f 2>/dev/null | sed 's,/[^/]*$,,' | sort | uniq -c | sort -nr | head -5
if [ -d /proc/self/fd ]; then
  echo "== deleted and still open (bytes, process, file)"
  for fd in /proc/[0-9]*/fd/*; do
    case $(readlink "$fd" 2>/dev/null || true) in
      "$folder"*" (deleted)") pid=${fd#/proc/}; printf '%s %s %s\n' "$(stat -Lc %s "$fd" 2>/dev/null || echo 0)" "${pid%%/*}" "$(readlink "$fd")" ;;
    esac
  done | sort -nr | head -n 10
fi
