/**
 * Converts HTML to markdown. Pages are untrusted, large and sometimes built to be slow, so they are converted in a
 * separate process with a time and memory limit. If that fails, the plain text is returned.
 */

import { createRequire } from "node:module";
import { runInProcess } from "../shared/own-process.ts";

export interface PageText {
  readonly title: string;
  readonly text: string;
  /** Notes for the model. */
  readonly notes: readonly string[];
}

const require = createRequire(import.meta.url);

const LIMIT_MS = 20_000;
const TITLE_CHARS = 300;
/** A main part with less than this share and this many characters of the page's text is a wrong guess. */
const MAIN_SHARE = 0.4;
const MAIN_CHARS = 1_500;

/** Readability finds the main part, turndown makes markdown. Links are made absolute first. */
const SCRIPT = `
  const [{ parseHTML }, { Readability }, Turndown, { gfm }] = input.libraries.map((path) => require(path));
  const isWhole = /<(html|body|head)[\\s>]/i.test(input.html);
  const { document } = parseHTML(isWhole ? input.html : "<html><body>" + input.html + "</body></html>");
  // Without a head, the library does not find the body.
  const root = document.documentElement;
  const given = root?.querySelector("body") ?? null;
  if (given !== null && root.querySelector("head") === null) {
    const head = document.createElement("head");
    for (const node of [...root.childNodes]) if (node !== given) head.append(node);
    root.prepend(head);
  }
  const whole = (text, base) => URL.canParse(text, base) ? new URL(text, base).href : text;
  const base = whole(document.querySelector("base[href]")?.getAttribute("href") ?? "", input.url);
  document.querySelectorAll("script, style, noscript, template, base, link").forEach((node) => node.remove());
  for (const [name, attribute] of [["a", "href"], ["img", "src"]])
    for (const node of document.querySelectorAll(name)) {
      const address = node.getAttribute(attribute);
      if (address === null || address.startsWith("#")) continue;
      const isInner = /^\\s*(data|javascript|blob):/i.test(address);
      if (!isInner) node.setAttribute(attribute, whole(address, base));
      else if (name === "a") node.removeAttribute(attribute);
      else node.replaceWith(document.createTextNode("[image: " + (node.getAttribute("alt") ?? "") + "]"));
    }
  const words = (text) => (text ?? "").replace(/\\s+/g, " ").trim();
  const title = words(document.title);
  const body = document.body ?? document.documentElement;
  const allHtml = body?.innerHTML ?? "";
  const allChars = words(body?.textContent).length;
  const main = new Readability(document, { keepClasses: true }).parse();
  const mainChars = words(main?.textContent).length;
  const isMain = mainChars > 0 && (mainChars >= input.mainChars || mainChars >= allChars * input.mainShare);
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  turndown.use(gfm);
  const text = turndown.turndown(isMain ? main.content : allHtml);
  return { title, text, mainChars: isMain ? mainChars : allChars, allChars };
`;

interface Answer {
  readonly title: string;
  readonly text: string;
  readonly mainChars: number;
  readonly allChars: number;
}

export interface HtmlPage {
  readonly url: string;
  readonly html: string;
  readonly limitMs?: number;
}

/** Larger pages would certainly take too long. */
const MOST_TAGS = 100_000;
const MOST_HTML_CHARS = 5_000_000;

export async function readPage(
  { url, html, limitMs = LIMIT_MS }: HtmlPage,
  signal: AbortSignal,
): Promise<PageText> {
  const markup = withoutScripts(html);
  const tooMuch = tooMuchMarkup(markup);
  if (tooMuch !== undefined) return bareText(html, tooMuch);
  const libraries = [
    require.resolve("linkedom"),
    require.resolve("@mozilla/readability"),
    require.resolve("turndown"),
    require.resolve("turndown-plugin-gfm"),
  ];
  const input = { url, html: markup, libraries, mainShare: MAIN_SHARE, mainChars: MAIN_CHARS };
  const end = await runInProcess({ script: SCRIPT, input, limitMs, signal });
  if (end.type === "failed") return bareText(html, end.message);
  const { title, text, mainChars, allChars } = end.answer as Answer;
  const isPart = mainChars < allChars;
  const note = `Only the main part of the page is shown (${mainChars} of ${allChars} characters of text); menus and hidden text are left out.`;
  return { title: title.slice(0, TITLE_CHARS), text: text.trim(), notes: isPart ? [note] : [] };
}

function tooMuchMarkup(html: string): string | undefined {
  if (html.length > MOST_HTML_CHARS) return `it has more than ${MOST_HTML_CHARS} characters of HTML`;
  return html.split("<", MOST_TAGS + 2).length > MOST_TAGS + 1
    ? `it has more than ${MOST_TAGS} tags`
    : undefined;
}

/** Scripts and styles are most of many pages and carry no text. */
function withoutScripts(html: string): string {
  const parts: string[] = [];
  const begin = /<(script|style)[\s/>]|<!--/gi;
  let at = 0;
  for (let found = begin.exec(html); found !== null; found = begin.exec(html)) {
    parts.push(html.slice(at, found.index));
    const end = found[1] === undefined ? /-->/g : /<\/(?:script|style)[^>]*>/gi;
    end.lastIndex = found.index + 4;
    // An unclosed element hides the rest of the page.
    if (end.exec(html) === null) return parts.join("");
    at = begin.lastIndex = end.lastIndex;
  }
  return [...parts, html.slice(at)].join("");
}

function bareText(html: string, why: string): PageText {
  const note = `The page could not be converted (${why}); this is its plain text.`;
  return { title: "", text: withoutTags(html), notes: [note] };
}

/** Elements that are left out with their content. */
const SILENT = /^<(script|style|template|noscript)[\s>]/i;

/** Removes tags in a single pass, so that no input is slow. */
export function withoutTags(html: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = html.indexOf("<"); open !== -1; open = html.indexOf("<", at)) {
    parts.push(html.slice(at, open));
    const end = tagEnd(html, open);
    if (end === undefined) return tidy(parts);
    at = end;
  }
  return tidy([...parts, html.slice(at)]);
}

/** Returns undefined if the tag never ends, so that the rest is not searched repeatedly. */
function tagEnd(html: string, open: number): number | undefined {
  const silent = SILENT.exec(html.slice(open, open + 12))?.[1];
  const close = html.startsWith("<!--", open) ? "-->" : silent === undefined ? ">" : `</${silent}`;
  const found = html.indexOf(close, open + 1);
  if (found === -1) return undefined;
  return silent === undefined ? found + close.length : found;
}

function tidy(parts: readonly string[]): string {
  return parts
    .join(" ")
    .split("\n")
    .map((line) => line.replaceAll(/[ \t\r]+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}
