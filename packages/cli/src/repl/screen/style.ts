/** Colours, and the styles of markdown and the editor. No colours if `NO_COLOR` is set. */

import type { EditorTheme, MarkdownTheme } from "@earendil-works/pi-tui";
import { strip } from "../../shared/safe-text.ts";
import { LINK_END, isOwnLink } from "./links.ts";

/** Whether the program draws no colours. */
export const isPlain = (process.env["NO_COLOR"] ?? "") !== "";

type Paint = (text: string) => string;

/** All allowed style codes: reset and the reverse video of the editor's cursor, and the styles below. */
const OWN_CODES = new Set([0, 7]);

/** The themes to choose from. `ansi` uses only the eight colours that every terminal has. */
export const THEMES = ["dark", "light", "colour-blind", "ansi"] as const;
type Theme = (typeof THEMES)[number];
type Colour = "red" | "green" | "yellow" | "cyan" | "blue" | "magenta";

/**
 * Foreground codes, also of code. In `colour-blind`, what is red or green elsewhere is yellow or blue. Magenta, the colour of
 * keywords, is never that of red, the colour of removed lines.
 */
const PALETTES: Readonly<Record<Theme, Readonly<Record<Colour, number>>>> = {
  dark: { red: 91, green: 92, yellow: 93, cyan: 96, blue: 94, magenta: 95 },
  light: { red: 31, green: 32, yellow: 35, cyan: 34, blue: 36, magenta: 35 },
  "colour-blind": { red: 93, green: 94, yellow: 95, cyan: 96, blue: 96, magenta: 95 },
  ansi: { red: 31, green: 32, yellow: 33, cyan: 36, blue: 34, magenta: 35 },
};

/** Resets the foreground. */
const DEFAULT_COLOUR = 39;
let theme: Theme = "ansi";

/** The theme that is drawn with. Default: `ansi`. */
export function currentTheme(): Theme {
  return theme;
}

export function isTheme(name: unknown): name is Theme {
  return THEMES.some((one) => one === name);
}

/** The theme for a value of the settings, also for names that other programs use. Undefined for any other value. */
export function themeNamed(value: unknown): Theme | undefined {
  if (isTheme(value)) return value;
  if (typeof value !== "string") return undefined;
  if (/daltoni[sz]ed|colou?r-?blind/i.test(value)) return "colour-blind";
  return /ansi$/i.test(value) ? "ansi" : undefined;
}

/** Takes effect with the next frame. Lines that were printed keep their colours. */
export function setTheme(name: Theme): void {
  theme = name;
}

function themed(colour: Colour): Paint {
  for (const one of THEMES) OWN_CODES.add(PALETTES[one][colour]);
  OWN_CODES.add(DEFAULT_COLOUR);
  return (text) =>
    isPlain || text === "" ? text : `\u001b[${PALETTES[theme][colour]}m${text}\u001b[${DEFAULT_COLOUR}m`;
}

/** Resets only what it set, so that styles can be nested. */
function sgr(begin: number, end: number): Paint {
  OWN_CODES.add(begin).add(end);
  return (text) => (isPlain || text === "" ? text : `\u001b[${begin}m${text}\u001b[${end}m`);
}

export const bold = sgr(1, 22);
export const dim = sgr(2, 22);
const italic = sgr(3, 23);
const underline = sgr(4, 24);
export const red = themed("red");
export const green = themed("green");
export const yellow = themed("yellow");
export const blue = themed("blue");
export const magenta = themed("magenta");
export const cyan = themed("cyan");

/** Joins adjacent dim pieces, because the editor styles each piece of its border separately. */
export function joined(line: string): string {
  return line.replaceAll("\u001b[22m\u001b[2m", "");
}

// oxlint-disable-next-line no-control-regex -- matches styles and links in a line
const STYLE = /(\u001b\[[\d;]*m|\u001b\]8;;[^\u001b\u0007]*\u001b\\)/;

/**
 * Removes everything from a line that controls the terminal, except the styles of this file and our own links. Text from
 * outside is made safe before it is styled; this is the second line of defence. No concealed text, no other colours.
 */
export function onlyOwnStyles(line: string): string {
  let isInLink = false;
  const parts = line.split(STYLE).map((part, at) => {
    if (at % 2 === 0) return strip(part).replaceAll("\n", " ");
    if (part.startsWith("\u001b]")) {
      // The end of a link that was removed goes with it.
      const isKept = isOwnLink(part) && (part !== LINK_END || isInLink);
      isInLink = isKept && part !== LINK_END;
      return isKept ? part : "";
    }
    const codes = part.slice(2, -1).split(";").map(Number);
    return codes.every((code) => OWN_CODES.has(code)) ? part : "";
  });
  const safe = `${parts.join("")}${isInLink ? LINK_END : ""}`;
  return safe.includes("\u001b") ? `${safe}${RESET}` : safe;
}

const RESET = "\u001b[0m";

/** Without colours of code: `markdown.ts` adds them. */
export const MARKDOWN: MarkdownTheme = {
  heading: bold,
  link: cyan,
  linkUrl: dim,
  code: cyan,
  codeBlock: (text) => text,
  codeBlockBorder: dim,
  quote: italic,
  quoteBorder: dim,
  hr: dim,
  listBullet: dim,
  bold,
  italic,
  strikethrough: sgr(9, 29),
  underline,
};

export const EDITOR: EditorTheme = {
  borderColor: dim,
  selectList: {
    selectedPrefix: cyan,
    selectedText: cyan,
    description: dim,
    scrollInfo: dim,
    noMatch: dim,
  },
};
