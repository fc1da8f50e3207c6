import {
  type NameEffect,
  type KnownNames,
  deletes,
  deletesOwnPath,
  fetches,
  reportsRule,
  program,
  replacesProcess,
  shell,
  acts,
  forks,
  mayAct,
} from "../reading/name-effects.ts";

const kills: NameEffect = acts(({ args: [target], effects, words }) =>
  effects.find(target?.number === -1 ? "kill_all" : "inline_code", words),
);

export function pythonPrograms(): KnownNames {
  return {
    [`
      os.system os.popen commands.getoutput commands.getstatusoutput popen2.popen2 pty.spawn pexpect.run
      asyncio.create_subprocess_shell os.startfile *.system *.popen
    `]: shell(),
    [`
      subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen *.Popen
      *.check_output *.check_call
    `]: shell(0, "args"),
    "subprocess.getoutput subprocess.getstatusoutput": shell(0, "cmd"),
    "pexpect.spawn asyncio.create_subprocess_exec sh.Command": program(),
    "plumbum.local os.abort *.exec_command *.exec_run": reportsRule("inline_code"),
    [`
      os.execv os.execve os.execvp os.execvpe os.execl os.execle os.execlp os.execlpe os.posix_spawn
      os.posix_spawnp
    `]: replacesProcess(1),
    "os.spawnl os.spawnle os.spawnlp os.spawnv os.spawnve os.spawnvp os.spawnvpe": replacesProcess(2),
    "_posixsubprocess.fork_exec": reportsRule("unreadable_code"),
    "os.fork os.forkpty pty.fork": forks,
    "os.kill os.killpg signal.pidfd_send_signal": kills,
    "*.terminate_instances *.delete_bucket *.delete_object *.delete_objects *.delete_table":
      reportsRule("cloud_delete"),
    "webbrowser.open": fetches(),
    "os.remove os.unlink os.rmdir os.removedirs *.removedirs": deletes(),
    "shutil.rmtree distutils.dir_util.remove_tree send2trash.send2trash *.rmtree": deletes(0, true),
    "*.unlink *.rmdir": deletesOwnPath(),
    "*.delete_many *.drop_database *.drop_collection *.drop_all *.flushall *.flushdb": reportsRule("database"),
    "*.delete": mayAct(({ args, effects, words }) => {
      if (args.length === 0) effects.find("inline_code", words);
    }),
  };
}
