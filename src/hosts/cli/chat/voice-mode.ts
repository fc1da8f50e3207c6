import { reasonOf } from "../../../base/result.ts";
import type { DisplayState } from "../../../contracts/host/command.ts";
import type { AgentEvent } from "../../../contracts/session/event.ts";
import type { RunOperation } from "../../../operations/run-operation.ts";
import type { SpokenSentences } from "../../../operations/speech/spoken-sentences.ts";

export interface VoiceModeParts {
  /** Runs operations without showing their progress. */
  run(signal: AbortSignal): RunOperation;
  /** The key name as the screen shows it: `ctrl+b`. */
  readonly recordKey: string;
  /** Sends the spoken words as a prompt, never as a command. */
  submit(text: string): void;
  note(text: string): void;
  /** Whether a turn runs or waits. */
  isBusy(): boolean;
}

/** Push to talk, and spoken answers. Starts nothing before its first use. */
export interface VoiceMode extends AsyncDisposable {
  use(state: DisplayState["voice"]): void;
  /** True: the key belongs to voice mode. Every other key stops the current speech. */
  press(chord: string): boolean;
  show(event: AgentEvent): void;
}

const maxSilentTakes = 3;

export function createVoiceMode(parts: VoiceModeParts): VoiceMode {
  const closing = new AbortController();
  let state: DisplayState["voice"] = "off";
  let isLooping = false;
  let isRecording = false;
  let looping: Promise<void> = Promise.resolve();
  let turnEnded: (() => void) | undefined;
  /** The sentences of the current answer. Undefined: it has none yet. */
  let sentences: Promise<SpokenSentences> | undefined;
  /** Ends when the answer so far is in the queue. */
  let reading: Promise<void> = Promise.resolve();
  let queue: string[] = [];
  /** The current speech. */
  let voice: AbortController | undefined;
  /** The user stopped the speech: the rest of this answer stays silent. */
  let isHushed = false;
  let speaking: Promise<void> = Promise.resolve();

  async function listen(): Promise<void> {
    const run = parts.run(closing.signal);
    // oxlint-disable-next-line no-unmodified-loop-condition -- a key changes it
    for (let silent = 0; isLooping && silent < maxSilentTakes;) {
      parts.note(`Listening. ${parts.recordKey} stops.`);
      isRecording = true;
      const take = await run("voice.listen", {});
      isRecording = false;
      if (closing.signal.aborted) return;
      if (!take.ok) {
        parts.note(take.error.message);
        break;
      }
      if (take.value.text === "") {
        silent++;
        continue;
      }
      silent = 0;
      const answered = Promise.withResolvers<void>();
      turnEnded = answered.resolve;
      parts.submit(take.value.text);
      if (!parts.isBusy()) answered.resolve();
      await answered.promise;
      await reading;
      await speaking;
    }
    if (isLooping) parts.note("No speech was detected; listening has ended.");
    isLooping = false;
  }

  function pressRecordKey(): void {
    if (isLooping) {
      isLooping = false;
      if (isRecording) void parts.run(closing.signal)("voice.stopListening", {});
      return;
    }
    isLooping = true;
    looping = looping.then(listen).catch((thrown: unknown) => parts.note(reasonOf(thrown)));
  }

  function hush(): void {
    if (!voice) return;
    isHushed = true;
    queue = [];
    voice.abort();
  }

  /** Passes the answer on in its order, although the code for it is loaded by the first words. */
  function read(take: (sentences: SpokenSentences) => readonly string[]): void {
    const own = (sentences ??= loadSentences());
    reading = reading.then(async () => say(take(await own))).catch((thrown: unknown) => parts.note(reasonOf(thrown)));
  }

  function say(added: readonly string[]): void {
    if (added.length === 0 || isHushed) return;
    queue.push(...added);
    if (!voice) speaking = speakQueue();
  }

  /** Synthesizes the next sentence while the current one is played. */
  async function speakQueue(): Promise<void> {
    const own = (voice = new AbortController());
    const run = parts.run(AbortSignal.any([own.signal, closing.signal]));
    const make = () => {
      const text = queue.shift();
      return text === undefined ? undefined : run("voice.say", { text, plays: false });
    };
    try {
      for (let next = make(); next && !own.signal.aborted;) {
        const sound = await next;
        if (!sound.ok || own.signal.aborted) {
          if (!own.signal.aborted && !sound.ok) parts.note(sound.error.message);
          break;
        }
        const following = make();
        const played = await run("voice.play", { file: sound.value.path });
        if (!played.ok && !own.signal.aborted) {
          parts.note(played.error.message);
          break;
        }
        next = following ?? make();
      }
    } finally {
      voice = undefined;
      queue = own.signal.aborted ? [] : queue;
    }
  }

  return {
    use(wish) {
      state = wish;
      if (state !== "listen_and_speak") hush();
      if (state === "off" && isLooping) pressRecordKey();
    },
    press(chord) {
      if (state === "off") return false;
      hush();
      if (chord !== parts.recordKey) return false;
      pressRecordKey();
      return true;
    },
    show(event) {
      if (event.type === "turn.started") {
        sentences = undefined;
        isHushed = false;
      }
      if (state === "listen_and_speak" && event.type === "text.delta") read((own) => own.add(event.delta));
      if (event.type !== "turn.finished") return;
      if (state === "listen_and_speak") read((own) => own.end());
      turnEnded?.();
      turnEnded = undefined;
    },
    async [Symbol.asyncDispose]() {
      isLooping = false;
      hush();
      closing.abort("the chat ends");
      turnEnded?.();
      await reading;
      await Promise.allSettled([looping, speaking]);
    },
  };
}

async function loadSentences(): Promise<SpokenSentences> {
  const { createSpokenSentences } = await import("../../../operations/speech/spoken-sentences.ts");
  return createSpokenSentences();
}

/** The name of a Ctrl key with a letter (`ctrl+b`) in a plain chat. Undefined: another key. */
export function controlChord(bytes: Uint8Array): string | undefined {
  const [code = 0] = bytes;
  return bytes.length === 1 && code >= 1 && code <= 26 ? `ctrl+${String.fromCharCode(96 + code)}` : undefined;
}
