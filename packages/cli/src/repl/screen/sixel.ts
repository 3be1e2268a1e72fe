/** Sixel: pixels as text, for terminals such as foot, mlterm, Windows Terminal and xterm with `-ti vt340`. */

/** Four bytes per pixel: red, green, blue, alpha. */
export interface Pixels {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Levels of red, green and blue: 252 colours, which every sixel terminal has. */
const LEVELS = [6, 7, 6] as const;
/** A band of sixels is six pixels high. */
const BAND = 6;
const TRANSPARENT = -1;
const LEAST_ALPHA = 128;
/** A repeated character is shorter with a count from this length on. */
const LEAST_RUN = 4;

/** The sequence that draws the pixels at the cursor. Transparent pixels keep the background. */
export function encodeSixel(pixels: Pixels): string {
  const { width, height } = pixels;
  const colours = quantised(pixels);
  const used = [...new Set(colours)].filter((colour) => colour !== TRANSPARENT);
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND) bands.push(band(colours, { top, width, height }));
  const size = `"1;1;${width};${height}`;
  return `\u001bP0;1;0q${size}${used.map(definition).join("")}${bands.join("-")}\u001b\\`;
}

function definition(colour: number): string {
  const [reds, greens, blues] = LEVELS;
  const percent = (level: number, levels: number): number => Math.round((level / (levels - 1)) * 100);
  const red = percent(Math.floor(colour / (greens * blues)), reds);
  const green = percent(Math.floor(colour / blues) % greens, greens);
  return `#${colour};2;${red};${green};${percent(colour % blues, blues)}`;
}

/** The nearest colour of each pixel; what it differs by is passed on to its neighbours (Floyd and Steinberg). */
function quantised({ bytes, width, height }: Pixels): Int16Array {
  const colours = new Int16Array(width * height);
  const rest = Float32Array.from(bytes);
  const spread = (at: number, error: number, share: number): void => {
    if (at < rest.length) rest[at] = (rest[at] ?? 0) + error * share;
  };
  for (let pixel = 0; pixel < colours.length; pixel++) {
    if ((bytes[pixel * 4 + 3] ?? 0) < LEAST_ALPHA) {
      colours[pixel] = TRANSPARENT;
      continue;
    }
    let colour = 0;
    for (const [channel, levels] of LEVELS.entries()) {
      const at = pixel * 4 + channel;
      const value = Math.min(255, Math.max(0, rest[at] ?? 0));
      const level = Math.round((value / 255) * (levels - 1));
      const error = value - (level / (levels - 1)) * 255;
      const column = pixel % width;
      colour = colour * levels + level;
      if (column + 1 < width) spread(at + 4, error, 7 / 16);
      if (column > 0) spread(at + (width - 1) * 4, error, 3 / 16);
      spread(at + width * 4, error, 5 / 16);
      if (column + 1 < width) spread(at + (width + 1) * 4, error, 1 / 16);
    }
    colours[pixel] = colour;
  }
  return colours;
}

interface Band {
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** One line per colour, drawn over each other. */
function band(colours: Int16Array, { top, width, height }: Band): string {
  const rows = new Map<number, Uint8Array>();
  for (let y = top; y < Math.min(top + BAND, height); y++)
    for (let x = 0; x < width; x++) {
      const colour = colours[y * width + x] ?? TRANSPARENT;
      if (colour === TRANSPARENT) continue;
      const row = rows.get(colour) ?? new Uint8Array(width);
      row[x] = (row[x] ?? 0) | (1 << (y - top));
      rows.set(colour, row);
    }
  return [...rows].map(([colour, row]) => `#${colour}${runs(row)}`).join("$");
}

function runs(row: Uint8Array): string {
  let text = "";
  for (let at = 0; at < row.length; ) {
    let end = at + 1;
    while (end < row.length && row[end] === row[at]) end++;
    const letter = String.fromCharCode(63 + (row[at] ?? 0));
    const isBlankEnd = end === row.length && row[at] === 0;
    if (!isBlankEnd) text += end - at < LEAST_RUN ? letter.repeat(end - at) : `!${end - at}${letter}`;
    at = end;
  }
  return text;
}
