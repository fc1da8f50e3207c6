import assert from "node:assert/strict";
import { test } from "node:test";

import { refusedFeatures } from "./create-container.ts";
import { reasonLine, faultFromText } from "./engine.ts";

test("errors of the engine are classified by the action that the user can take", () => {
  const kindAndHint = (words: string) => {
    const { kind, message, hint } = faultFromText(words, "docker", "failed");
    return [kind, message.split(":")[0], hint?.split(" ")[0]];
  };
  assert.deepEqual(
    kindAndHint("Cannot connect to the Docker daemon at unix:///x.sock. Is the docker daemon running?"),
    ["unreachable", "the service of docker is not running", "Start"],
  );
  assert.deepEqual(
    kindAndHint(
      "permission denied while trying to connect to the Docker daemon socket: dial unix: connect: permission denied",
    ),
    ["misconfigured", "this user is not allowed to use docker", "Add"],
  );
  assert.deepEqual(kindAndHint("something else"), ["unreachable", "docker failed", undefined]);
});

test("the message shows the line with the reason, not the usage advice", () => {
  const words = "WARN x\ndocker: Error response from daemon: no.\n\nRun 'docker run --help' for more information\n";
  assert.equal(reasonLine(words), "Error response from daemon: no.");
  assert.equal(reasonLine("\n"), "no error message");
});

test("only resource limits are dropped, and only those that the engine's error names", () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    "--storage-opt is supported only for overlay over xfs with 'pquota' mount option": ["disk"],
    "Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available": ["cpus"],
    'exec: "docker-init": executable file not found': ["init"],
    "container-init binary not found on the host: catatonit": ["init"],
    "Your kernel does not support pids limit capabilities": ["pids"],
    "OCI runtime error: cgroups not mounted": ["cpus", "memory", "pids"],
    "fork/exec: cannot allocate memory": [],
    "invalid capability: x": [],
    "seccomp is not supported": [],
  };
  for (const [words, abilities] of Object.entries(cases))
    assert.deepEqual([...refusedFeatures(words)].toSorted(), abilities.toSorted(), words);
});
