/**
 * Shell code with exit code 0 if a background process is running: each has a watcher with recognizable arguments. Other
 * commands are ignored: a command that outlives its program must not keep a container running.
 */
export const backgroundCheck = `grep -qs 'hermes-[0-9]*-[^/]*/proc_[0-9a-z]' /proc/[0-9]*/cmdline`;

/** A script whose command line contains this text counts as a background process. */
export const backgroundMarkerLine = "# hermes-0-terminal/proc_0";
