import { err, ok, type Result } from "../../base/result.ts";
import type { CodeKernel } from "../../contracts/code/code-run.ts";
import { object, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import type { Session } from "../../contracts/session/runtime.ts";
import { readOperation, writeOperation } from "../operation.ts";

const kernel = string("the kernel: its number in code.kernels, its language, or its id");

/** The kernels of the live session, which keep variables between scripts of `execute_code`. */
export const operations = {
  kernels: readOperation({
    summary: "List the kernels of this session, which keep variables between scripts",
    needs: ["session"],
    run: async (_input, { session }) => ok({ kernels: session.code.kernels() }),
  }),

  interruptKernel: writeOperation({
    summary: "Interrupt the script that a kernel executes; its variables stay",
    input: object({ kernel }),
    needs: ["session"],
    async run({ kernel: given }, { session }) {
      const match = findKernel(given, session);
      if (!match.ok) return match;
      const { id, language } = match.value;
      if (!session.code.interrupt(id)) return err({ message: `The ${language} kernel does not execute a script.` });
      return ok({ id, language });
    },
  }),

  killKernel: writeOperation({
    summary: "End a kernel; its variables are lost, and the next script starts another one",
    input: object({ kernel }),
    needs: ["session"],
    async run({ kernel: given }, { session }) {
      const match = findKernel(given, session);
      if (!match.ok) return match;
      const { id, language } = match.value;
      await session.code.kill(id);
      return ok({ id, language });
    },
  }),
};

function findKernel(given: string, { code }: Pick<Session, "code">): Result<CodeKernel, OperationFault> {
  const kernels = code.kernels();
  const isMatch = ({ id, language }: CodeKernel, index: number) =>
    given === id || given === language || given === String(index + 1);
  const match = kernels.find(isMatch);
  if (match) return ok(match);
  if (kernels.length === 0) return err({ message: "This session has no kernels." });
  return err({ message: `There is no kernel ${given}.`, hint: "/kernels lists them." });
}
