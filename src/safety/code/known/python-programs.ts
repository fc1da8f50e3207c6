import {
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
import { anything } from "../reading/value.ts";

const kills: NameEffect = {
  acts: true,
  read: ({ args: [target], effects, words }) => {
    effects.find(target?.number === -1 ? "kill_all" : "inline_code", words);
    return anything;
  },
};

const forks: NameEffect = {
  acts: true,
  read: ({ effects, words }) => {
    effects.fork(words);
    return anything;
  },
};

export function pythonPrograms(): KnownNames {
  return {
    "os.system": shell(),
    "os.popen": shell(),
    "subprocess.run": shell(0, "args"),
    "subprocess.call": shell(0, "args"),
    "subprocess.check_call": shell(0, "args"),
    "subprocess.check_output": shell(0, "args"),
    "subprocess.Popen": shell(0, "args"),
    "subprocess.getoutput": shell(0, "cmd"),
    "subprocess.getstatusoutput": shell(0, "cmd"),
    "commands.getoutput": shell(),
    "commands.getstatusoutput": shell(),
    "popen2.popen2": shell(),
    "pty.spawn": shell(),
    "pexpect.spawn": program(),
    "pexpect.run": shell(),
    "asyncio.create_subprocess_shell": shell(),
    "asyncio.create_subprocess_exec": program(),
    "sh.Command": program(),
    "plumbum.local": finds("inline_code"),
    "os.execv": replaced(1),
    "os.execve": replaced(1),
    "os.execvp": replaced(1),
    "os.execvpe": replaced(1),
    "os.execl": replaced(1),
    "os.execle": replaced(1),
    "os.execlp": replaced(1),
    "os.execlpe": replaced(1),
    "os.spawnl": replaced(2),
    "os.spawnle": replaced(2),
    "os.spawnlp": replaced(2),
    "os.spawnv": replaced(2),
    "os.spawnve": replaced(2),
    "os.spawnvp": replaced(2),
    "os.spawnvpe": replaced(2),
    "os.posix_spawn": replaced(1),
    "os.posix_spawnp": replaced(1),
    "os.startfile": shell(),
    "_posixsubprocess.fork_exec": finds("unreadable_code"),
    "os.fork": forks,
    "os.forkpty": forks,
    "pty.fork": forks,
    "os.kill": kills,
    "os.killpg": kills,
    "signal.pidfd_send_signal": kills,
    "os.abort": finds("inline_code"),
    "*.terminate_instances": finds("cloud_delete"),
    "*.system": shell(),
    "*.popen": shell(),
    "*.Popen": shell(0, "args"),
    "*.check_output": shell(0, "args"),
    "*.check_call": shell(0, "args"),
    "*.exec_command": finds("inline_code"),
    "*.exec_run": finds("inline_code"),
    "webbrowser.open": fetches(),
    "os.remove": deletes(),
    "os.unlink": deletes(),
    "os.rmdir": deletes(),
    "os.removedirs": deletes(),
    "shutil.rmtree": deletes(0, true),
    "distutils.dir_util.remove_tree": deletes(0, true),
    "send2trash.send2trash": deletes(0, true),
    "*.unlink": deletesItself(),
    "*.rmdir": deletesItself(),
    "*.rmtree": deletes(0, true),
    "*.removedirs": deletes(),
    "*.delete_many": finds("database"),
    "*.drop_database": finds("database"),
    "*.drop_collection": finds("database"),
    "*.drop_all": finds("database"),
    "*.flushall": finds("database"),
    "*.flushdb": finds("database"),
    "*.delete_bucket": finds("cloud_delete"),
    "*.delete_object": finds("cloud_delete"),
    "*.delete_objects": finds("cloud_delete"),
    "*.delete_table": finds("cloud_delete"),
    "*.delete": {
      acts: false,
      read: ({ args, effects, words }) => {
        if (args.length === 0) effects.find("inline_code", words);
        return anything;
      },
    },
  };
}
