/**
 * Shell functions that find and kill all processes of one run: those of the group and session `g`, those with the
 * marker `m` in their environment, and all their children. Without /proc they find only the group and its children.
 */
export const treeFunctions = `
nap() { sleep 0.02 2>/dev/null || sleep 1; }
seen() {
  if [ -r /proc/self/stat ]; then
    set -- $(grep -ls -e "$m" /proc/[0-9]*/environ 2>/dev/null)
    awk -v g="$g" -v known="$known" -v marked="$*" 'BEGIN {
      n = split(marked, a, " "); for (i = 1; i <= n; i++) { split(a[i], b, "/"); own[b[3]] = 1 }
      n = split(known, a, " "); for (i = 1; i <= n; i++) old[a[i]] = 1
      for (i = 1; i < ARGC; i++) {
        l = ""; while ((getline x < ARGV[i]) > 0) l = l x "\\n"; close(ARGV[i])
        if (!sub(/^.*\\) /, "", l)) continue
        split(ARGV[i], b, "/"); split(l, c, " ")
        if (c[1] == "Z" || c[1] == "X") continue
        p = b[3]; all[p] = p ":" c[20]; up[p] = c[2]
        if ((p in own) || c[3] == g || c[4] == g || (all[p] in old)) is[p] = 1
      }
      do { grew = 0; for (p in all) if (!(p in is) && (up[p] in is)) { is[p] = 1; grew = 1 } } while (grew)
      for (p in is) if (p in all) print all[p]
    }' /proc/[0-9]*/stat
  else
    ps -A -o pid= -o ppid= -o pgid= -o stat= 2>/dev/null | awk -v g="$g" '
      $4 !~ /^Z/ { up[$1] = $2; if ($3 == g) is[$1] = 1 }
      END { do { grew = 0; for (p in up) if (!(p in is) && (up[p] in is)) { is[p] = 1; grew = 1 } } while (grew)
        for (p in is) print p ":0" }'
  fi
}
tell() {
  s_=$1; shift
  [ "$g" -gt 1 ] && kill -s "$s_" -- "-$g" 2>/dev/null
  for p_ in "$@"; do kill -s "$s_" "\${p_%:*}" 2>/dev/null; done
}
end_tree() {
  n_=0; none_=0; known=
  while [ $n_ -lt 60 ]; do
    now_=$(seen)
    if [ -z "$now_" ]; then
      none_=$((none_ + 1)); [ $none_ -ge 2 ] && return 0
    else
      none_=0; known="$known $(echo $now_)"
      if [ $n_ -eq 0 ]; then tell TERM $now_; tell CONT $now_
      elif [ $n_ -ge 6 ]; then tell KILL $now_; fi
    fi
    n_=$((n_ + 1)); nap
  done
  return 1
}
`;
