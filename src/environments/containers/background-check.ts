/**
 * Shell code with exit code 0 when a background process runs: each has a watcher with recognizable arguments. Other
 * commands do not count: one that survives its program must not keep a container alive.
 */
export const backgroundCheck = `grep -qs 'hermes-[0-9]*-[^/]*/proc_[0-9a-z]' /proc/[0-9]*/cmdline`;

/** A script that contains this line counts as a background process. */
export const backgroundMarkerLine = "# hermes-0-terminal/proc_0";
