/** The texts of the transcript, the status line and the opening lines. */
export const englishTranscript = {
  waiting: (model: string) => `waiting for ${model}`,
  thinking: "thinking",
  stopped: "stopped",
  interrupts: "Esc interrupts",
  compacting: (tokens: string) => `compacting the context (${tokens} tokens) …`,
  compacted: (how: string) => `context compacted: ${how}`,
  didNotAnswer: (model: string, took: string) => `${model} did not answer (${took})`,
  plan: "plan",
  planDone: (done: number, all: number) => `${done} of ${all} done`,
  moreItems: (count: number) => `… ${count} more`,
  moreLines: (count: number) => `… ${count} more lines`,
};
