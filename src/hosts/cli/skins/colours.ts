/** Red, green and blue, from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Undefined for anything but `#rrggbb`. */
export function rgbOf(text: string): Rgb | undefined {
  const [, red, green, blue] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/iu.exec(text) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

/** Contrast of two colours from 1 (none) to 21 (black on white), as defined by WCAG. */
export function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

export function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The colour, moved towards black or white until it is readable on the background. */
export function readableOn(colour: Rgb, background: Rgb, minContrast: number): Rgb {
  const target: Rgb = contrast(white, background) > contrast(black, background) ? white : black;
  for (let part = 0; part < 1; part += 0.05) {
    const moved = mix(colour, target, part);
    if (contrast(moved, background) >= minContrast) return moved;
  }
  return target;
}

/** The same hue with inverted lightness. */
export function invertLightness(colour: Rgb): Rgb {
  const [red, green, blue] = colour;
  const shift = 255 - Math.max(red, green, blue) - Math.min(red, green, blue);
  return [red + shift, green + shift, blue + shift];
}

function mix(from: Rgb, to: Rgb, part: number): Rgb {
  const between = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * part);
  return [between(0), between(1), between(2)];
}

/** The nearest of the colours 16 to 255, which look the same on every terminal with 256 colours. */
export function indexIn256(colour: Rgb): number {
  const cube = colour.map((value) => nearestStep(value)) as unknown as Rgb;
  const inCube: Rgb = [steps[cube[0]] ?? 0, steps[cube[1]] ?? 0, steps[cube[2]] ?? 0];
  const average = (colour[0] + colour[1] + colour[2]) / 3;
  const grey = Math.max(0, Math.min(23, Math.round((average - 8) / 10)));
  const level = 8 + grey * 10;
  return distance(colour, [level, level, level]) < distance(colour, inCube)
    ? 232 + grey
    : 16 + cube[0] * 36 + cube[1] * 6 + cube[2];
}

/** One of the basic colours 1 to 6 by hue. Undefined: a grey. */
export function basicColour(colour: Rgb): number | undefined {
  const [red, green, blue] = colour;
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  const range = high - low;
  if (range < 40 || range / high < 0.2) return undefined;
  const hue =
    high === red
      ? (((green - blue) / range + 6) % 6) * 60
      : high === green
        ? ((blue - red) / range + 2) * 60
        : ((red - green) / range + 4) * 60;
  // Red, yellow, green, cyan, blue and magenta end at these hues.
  const ends = [20, 75, 165, 200, 260, 335, 360];
  return [1, 3, 2, 6, 4, 5, 1][ends.findIndex((end) => hue <= end)];
}

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
const steps = [0, 95, 135, 175, 215, 255];

function nearestStep(value: number): number {
  return steps.reduce(
    (best, step, index) => (Math.abs(step - value) < Math.abs((steps[best] ?? 0) - value) ? index : best),
    0,
  );
}

function distance(one: Rgb, other: Rgb): number {
  return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2;
}
