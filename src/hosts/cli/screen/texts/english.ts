/**
 * Every text of the screen that a person reads, by part of the screen. A translation has the type `ScreenTexts`, so that
 * none can be missing.
 */
export const english = {
  screen: {
    leaveHint: "press Ctrl-C again, Ctrl-D or type /quit to exit",
  },
  editor: {},
  transcript: {},
  panels: {},
};

export type ScreenTexts = typeof english;
