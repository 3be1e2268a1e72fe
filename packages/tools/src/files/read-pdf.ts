/** Reads the text of PDF pages in a separate process with a time and memory limit. */

import { createRequire } from "node:module";
import { addressOf, runInProcess } from "../shared/own-process.ts";
import { Refusal } from "../shared/refusal.ts";

export interface ReadPdf {
  readonly type: "pdf";
  /** How many pages the file has. */
  readonly pageCount: number;
  /** The pages that were read, in order. */
  readonly pages: readonly {
    /** The number of the page; the first is 1. */
    readonly page: number;
    /** Its text, which is cut with a note if it is very long. */
    readonly text: string;
  }[];
}

export interface PageRange {
  readonly first: number;
  readonly last: number;
}

export const PDF_FILE_BYTES = 64 * 1024 * 1024;
/** Limit of one call. */
export const MOST_PAGES = 20;
const PAGE_CHARS = 20_000;
/** After this many characters no further page is read. */
const ALL_CHARS = 80_000;
const LIMIT_MS = 30_000;

const SCRIPT = `
  const bytes = new Uint8Array(Buffer.from(input.base64, "base64"));
  const pdf = await library.getDocumentProxy(bytes, { verbosity: 0 });
  const last = Math.min(input.last, pdf.numPages);
  const pages = [];
  let chars = 0;
  for (let page = input.first; page <= last && chars < input.allChars; page++) {
    const { items } = await (await pdf.getPage(page)).getTextContent();
    const text = items.map((item) => (item.str ?? "") + (item.hasEOL ? "\\n" : "")).join("").trim();
    const isLong = text.length > input.pageChars;
    pages.push({ page, text: isLong ? text.slice(0, input.pageChars) + "… [page cut here]" : text });
    chars += Math.min(text.length, input.pageChars);
  }
  return { pageCount: pdf.numPages, pages };
`;

/** Parses "3" or "1-5". Default: the first pages. */
export function pageRange(pages: string | undefined): PageRange {
  if (pages === undefined) return { first: 1, last: MOST_PAGES };
  const match = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(pages);
  const first = Number(match?.[1] ?? 0);
  const last = Number(match?.[2] ?? first);
  if (first < 1 || last < first)
    throw new Refusal(`pages must be a page or a range such as "3" or "1-5", not "${pages}".`);
  if (last - first >= MOST_PAGES)
    throw new Refusal(
      `pages "${pages}" exceeds the limit of ${MOST_PAGES} pages per call. Read them in several calls.`,
    );
  return { first, last };
}

export interface PdfWish {
  readonly name: string;
  readonly bytes: Buffer;
  readonly range: PageRange;
}

export async function readPdf({ name, bytes, range }: PdfWish, signal: AbortSignal): Promise<ReadPdf> {
  const library = addressOf(createRequire(import.meta.url).resolve("unpdf"));
  const base64 = bytes.toString("base64");
  const input = { base64, ...range, pageChars: PAGE_CHARS, allChars: ALL_CHARS };
  const end = await runInProcess({ script: SCRIPT, library, input, limitMs: LIMIT_MS, signal });
  if (end.type === "failed") throw new Refusal(`Cannot read the PDF ${name}: ${end.message}`);
  const { pageCount, pages } = end.answer as Omit<ReadPdf, "type">;
  if (pages.length === 0)
    throw new Refusal(
      `The PDF ${name} has ${pageCount === 1 ? "1 page" : `${pageCount} pages`}, so there is no page ${range.first}.`,
    );
  return { type: "pdf", pageCount, pages };
}

export function pdfText({ pageCount, pages }: ReadPdf): string {
  const parts = pages.map(({ page, text }) => {
    const said = text === "" ? "(This page has no text; it may be a scanned image.)" : text;
    return `[Page ${page} of ${pageCount}]\n${said}`;
  });
  const next = (pages.at(-1)?.page ?? 0) + 1;
  const more =
    next > pageCount
      ? []
      : [`[More pages follow. Continue with pages "${next}-${Math.min(pageCount, next + MOST_PAGES - 1)}".]`];
  return [...parts, ...more].join("\n\n");
}
