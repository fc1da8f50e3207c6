import type { DisplayChange } from "../../../contracts/host/command.ts";
import type { Skin } from "../../../contracts/host/skin.ts";
import { type ChatDisplay, defaultDisplay } from "../chat/chat-display.ts";
import { createPaint } from "../paint.ts";
import { createChangingTheme } from "../skins/changing-theme.ts";
import type { TerminalColours, Theme } from "./parts.ts";
import { type ChangingTexts, createChangingTexts } from "./texts/changing-texts.ts";
import { createPlainTheme } from "./transcript/plain-theme.ts";

/** The current look of the screen: colours, texts and settings, which commands can change. */
export interface ScreenLook extends ChangingTexts {
  /** The theme. It always has the current colours, even for parts that keep a reference to it. */
  readonly theme: Theme;
  readonly display: ChatDisplay;
  change(change: DisplayChange & Partial<ChatDisplay>): void;
  useSkin(skin: Skin): Promise<void>;
  /** Called when the terminal has reported its background. */
  useBackground(isLight: boolean): Promise<void>;
}

export function createScreenLook(depth: TerminalColours["depth"], isLight: boolean | undefined): ScreenLook {
  const theme = createChangingTheme(createPlainTheme(createPaint(depth !== "none")));
  let background = isLight ?? false;
  let skin: Skin | undefined;
  let display = defaultDisplay;

  async function paint(): Promise<void> {
    if (!skin) return;
    const { createTheme } = await import("../skins/create-theme.ts");
    theme.use(createTheme(skin, { depth, isLight: background }));
  }

  return {
    theme,
    ...createChangingTexts(),
    get display() {
      return display;
    },
    change(change) {
      display = { ...display, ...change };
    },
    async useSkin(wanted) {
      skin = wanted;
      await paint();
    },
    async useBackground(isLightNow) {
      if (isLightNow === background) return;
      background = isLightNow;
      await paint();
    },
  };
}
