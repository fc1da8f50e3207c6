import type { DisplayState } from "../../contracts/host/command.ts";
import type { SlashCommand } from "../slash-command.ts";

const texts: Readonly<Record<DisplayState["voice"], string>> = {
  off: "Voice is off.",
  listen: "Voice is on. The record key (voice.record_key) starts and stops listening.",
  listen_and_speak: "Voice is on, and answers are spoken. The record key starts and stops listening.",
};

export const voiceCommand: SlashCommand = {
  name: "voice",
  args: "[on|off|tts|status]",
  maxWords: 1,
  summary: "Talk to Hermes: push to talk, spoken answers",
  where: "terminal",
  choices: () => [
    { value: "on", summary: "listen when the record key is pressed" },
    { value: "tts", summary: "also speak the answers, or stop that" },
    { value: "off", summary: "type again" },
    "status",
  ],
  async run(args, ctx) {
    const current = ctx.display.voice;
    const change = (voice: DisplayState["voice"]) => ({
      text: texts[voice],
      effect: { kind: "display", change: { voice } } as const,
    });
    switch (args.trim()) {
      case "":
      case "status": {
        const { voices, listeners, recorder, player } = await ctx.run("voice.status", {});
        const chosen = (rows: typeof voices) => rows.find(({ isChosen }) => isChosen)?.name ?? "nobody";
        return {
          text: `${texts[current]}\nSpeaks: ${chosen(voices)}. Listens: ${chosen(listeners)}. Recorder: ${recorder ?? "none"}. Player: ${player ?? "none"}. \`hermes voice status\` shows more.`,
        };
      }
      case "on": {
        const { recorder, listeners } = await ctx.run("voice.status", {});
        if (recorder === null)
          return { text: "No recorder was found: install alsa-utils, pulseaudio-utils, sox or ffmpeg.", failed: true };
        if (!listeners.some(({ isChosen }) => isChosen))
          return { text: "No speech recogniser is available: run `hermes voice install`.", failed: true };
        const { value } = await ctx.run("config.get", { key: "voice.auto_tts" });
        return change(value === true || current === "listen_and_speak" ? "listen_and_speak" : "listen");
      }
      case "tts":
        return change(current === "listen_and_speak" ? "listen" : "listen_and_speak");
      case "off":
        return change("off");
      default:
        return { text: `"${args}" is not one of on, off, tts, status.`, failed: true };
    }
  },
};
