/** Colours of code. The library is loaded when the first prompt is sent, so that the program starts as fast as without it. */

import { strip } from "../../shared/safe-text.ts";
import { blue, currentTheme, cyan, dim, green, isPlain, magenta, red, yellow } from "./style.ts";

interface Library {
  readonly highlight: (code: string, options: object) => string;
  readonly supportsLanguage: (name: string) => boolean;
}

let library: Library | undefined;
let loading: Promise<void> | undefined;

/** Longer code is shown without colours, because colouring takes about a millisecond per line. */
const MOST_CHARS = 20_000;
const MOST_LINE_CHARS = 1_000;

const same = (text: string): string => text;

/** Only our own styles. Every name that is missing here would be drawn in a style of the library. */
const THEME = {
  keyword: magenta,
  built_in: cyan,
  type: cyan,
  literal: blue,
  number: blue,
  regexp: green,
  string: green,
  subst: same,
  symbol: blue,
  class: yellow,
  function: yellow,
  title: yellow,
  params: same,
  comment: dim,
  doctag: dim,
  meta: dim,
  "meta-keyword": magenta,
  "meta-string": green,
  section: yellow,
  tag: dim,
  name: magenta,
  "builtin-name": cyan,
  attr: cyan,
  attribute: cyan,
  variable: same,
  bullet: dim,
  code: same,
  emphasis: same,
  strong: same,
  formula: same,
  link: cyan,
  quote: dim,
  "selector-tag": magenta,
  "selector-id": yellow,
  "selector-class": yellow,
  "selector-attr": cyan,
  "selector-pseudo": cyan,
  "template-tag": magenta,
  "template-variable": cyan,
  addition: green,
  deletion: red,
  default: same,
};

/** Loads the library in the background. Until then code has no colours. */
export function loadHighlighter(): Promise<void> {
  if (isPlain) return Promise.resolve();
  loading ??= import("cli-highlight").then(
    // A CommonJS package: its members are those of the default export, with a bundler or without one.
    (loaded) => void (library = "highlight" in loaded.default ? (loaded.default as Library) : loaded),
    // Without the library, code has no colours.
    () => undefined,
  );
  return loading;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  cjs: "js",
  mjs: "js",
  mts: "ts",
  cts: "ts",
  yml: "yaml",
  svg: "xml",
  htm: "html",
  h: "c",
  hpp: "cpp",
};

/** The name of a language for the extension of a file or the word after a fence; undefined if it is unknown. */
export function languageOf(word: string): string | undefined {
  const name = /^[\w+#-]+/.exec(word.toLowerCase())?.[0] ?? "";
  const known = EXTENSIONS[name] ?? name;
  return known !== "" && library?.supportsLanguage(known) === true ? known : undefined;
}

/** The lines of a code block. `code` must be free of control sequences. */
export function highlightCode(code: string, word = ""): string[] {
  const language = languageOf(word);
  if (library === undefined || language === undefined || code.length > MOST_CHARS) return code.split("\n");
  return painted(code, language).split("\n");
}

/** Lines that were coloured while they streamed. */
const cache = new Map<string, string>();
const MOST_CACHED = 2_000;

/** The lines of a code block that is still streaming: complete lines in colours, one by one. */
export function highlightLines(code: string, word = ""): string[] {
  const language = languageOf(word);
  const lines = code.split("\n");
  if (language === undefined) return lines;
  return lines.map((line, at) => (at === lines.length - 1 ? line : cachedLine(line, language)));
}

function cachedLine(line: string, language: string): string {
  const key = `${currentTheme()} ${language} ${line}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= MOST_CACHED) cache.clear();
  const shown = paintLine(line, language);
  cache.set(key, shown);
  return shown;
}

/** One line of code. */
export function paintLine(code: string, language: string | undefined): string {
  if (library === undefined || language === undefined || code.length > MOST_LINE_CHARS) return code;
  return painted(code, language);
}

function painted(code: string, language: string): string {
  try {
    const lines = library?.highlight(code, { language, ignoreIllegals: true, theme: THEME }) ?? code;
    // The library must change nothing but the styles.
    return strip(lines) === strip(code) ? acrossLines(lines) : code;
  } catch {
    return code;
  }
}

// oxlint-disable-next-line no-control-regex -- our own styles
const STYLE = /\u001b\[(\d+)m/g;

/** Ends each style at the end of a line and begins it again in the next one. */
function acrossLines(text: string): string {
  let open: string[] = [];
  return text
    .split("\n")
    .map((line) => {
      const begun = open.join("");
      for (const [style, code = ""] of line.matchAll(STYLE))
        if (/^(?:2[2-9]|39)$/.test(code)) open = open.slice(0, -1);
        else open.push(style);
      const ends = open.toReversed().map((style) => (style === "\u001b[2m" ? "\u001b[22m" : "\u001b[39m"));
      return `${begun}${line}${ends.join("")}`;
    })
    .join("\n");
}
