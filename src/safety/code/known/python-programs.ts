import {
  each,
  type NameEffect,
  type KnownNames,
  deletes,
  deletesItself,
  fetches,
  finds,
  program,
  replaced,
  shell,
} from "../reading/known.ts";
import { unknownValue } from "../reading/value.ts";

const kills: NameEffect = {
  acts: true,
  read: ({ args: [target], effects, words }) => {
    effects.find(target?.number === -1 ? "kill_all" : "inline_code", words);
    return unknownValue;
  },
};

const forks: NameEffect = {
  acts: true,
  read: ({ effects, words }) => {
    effects.fork(words);
    return unknownValue;
  },
};

export function pythonPrograms(): KnownNames {
  return {
    ...each(
      shell(),
      `
      os.system os.popen commands.getoutput commands.getstatusoutput popen2.popen2 pty.spawn pexpect.run
      asyncio.create_subprocess_shell os.startfile *.system *.popen
    `,
    ),
    ...each(
      shell(0, "args"),
      `
      subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen *.Popen
      *.check_output *.check_call
    `,
    ),
    "subprocess.getoutput": shell(0, "cmd"),
    "subprocess.getstatusoutput": shell(0, "cmd"),
    ...each(program(), "pexpect.spawn asyncio.create_subprocess_exec sh.Command"),
    ...each(finds("inline_code"), "plumbum.local os.abort *.exec_command *.exec_run"),
    ...each(
      replaced(1),
      `
      os.execv os.execve os.execvp os.execvpe os.execl os.execle os.execlp os.execlpe os.posix_spawn
      os.posix_spawnp
    `,
    ),
    ...each(replaced(2), "os.spawnl os.spawnle os.spawnlp os.spawnv os.spawnve os.spawnvp os.spawnvpe"),
    "_posixsubprocess.fork_exec": finds("unreadable_code"),
    ...each(forks, "os.fork os.forkpty pty.fork"),
    ...each(kills, "os.kill os.killpg signal.pidfd_send_signal"),
    ...each(
      finds("cloud_delete"),
      `
      *.terminate_instances *.delete_bucket *.delete_object *.delete_objects *.delete_table
    `,
    ),
    "webbrowser.open": fetches(),
    ...each(deletes(), "os.remove os.unlink os.rmdir os.removedirs *.removedirs"),
    ...each(deletes(0, true), "shutil.rmtree distutils.dir_util.remove_tree send2trash.send2trash *.rmtree"),
    "*.unlink": deletesItself(),
    "*.rmdir": deletesItself(),
    ...each(finds("database"), "*.delete_many *.drop_database *.drop_collection *.drop_all *.flushall *.flushdb"),
    "*.delete": {
      acts: false,
      read: ({ args, effects, words }) => {
        if (args.length === 0) effects.find("inline_code", words);
        return unknownValue;
      },
    },
  };
}
