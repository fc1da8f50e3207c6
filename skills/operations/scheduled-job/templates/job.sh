#!/bin/sh
# A job with a lock, a time limit, logs and a mark of its last success.
set -eu
state=${JOB_STATE:-$HOME/.local/state/NAME-job}
seconds=${JOB_SECONDS:-3600}
kept=${JOB_LOGS:-14}

# The work. A command that fails ends the job.
work() {
  echo "nothing to do yet"
}

if [ "${1:-}" = work ]; then work; exit; fi
mkdir -p "$state/logs"
# mkdir is atomic: two starts cannot both get the lock.
if ! mkdir "$state/lock" 2>/dev/null; then
  pid=$(cat "$state/lock/pid" 2>/dev/null || echo 0)
  if [ "$pid" -gt 0 ] && kill -0 "$pid" 2>/dev/null; then echo "already running (pid $pid)" >&2; exit 75; fi
  echo "lock of a process that ended was taken over" >&2
fi
echo $$ >"$state/lock/pid"
trap 'rm -f "$state/lock/pid"; rmdir "$state/lock"' EXIT
trap 'exit 130' INT TERM
log=$state/logs/$(date +%Y%m%dT%H%M%S)-$$.log
code=0
limit=""
! command -v timeout >/dev/null || limit="timeout $seconds"
{ echo "start $(date)"; $limit sh "$0" work || code=$?; echo "end $(date), exit code $code"; } >"$log" 2>&1
[ "$code" -ne 0 ] || date >"$state/last-success"
ls -t "$state/logs" | sed "1,${kept}d" | while IFS= read -r old; do rm -f -- "$state/logs/$old"; done
if [ "$code" -ne 0 ]; then echo "failed with exit code $code, log: $log" >&2; tail -n 20 "$log" >&2; fi
exit "$code"
