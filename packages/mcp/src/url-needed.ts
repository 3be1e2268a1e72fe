/** A call that a server refuses until the user has visited a page (`UrlElicitationRequired`). */

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { isShape, listOf, stringOf } from "@runahead/base";
import type { OpenSpec } from "./open-spec.ts";

/** Asks the user to visit the pages, and returns what the model reads. Undefined for any other error. */
export async function neededPages(
  error: unknown,
  { askBack, entry }: Pick<OpenSpec, "askBack" | "entry">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const code: number = ProtocolErrorCode.UrlElicitationRequired;
  if (!(error instanceof ProtocolError) || error.code !== code) return undefined;
  const data = isShape(error.data) ? error.data : {};
  const pages = listOf(data["elicitations"]).filter(isShape);
  const urls = pages.map((page) => stringOf(page["url"], "")).filter((url) => url !== "");
  if (urls.length === 0) return undefined;
  const needs = `needs the user to open ${urls.join(" and ")} first.`;
  if (askBack.elicit === undefined) return needs;
  for (const page of pages) {
    const { action } = await askBack.elicit({ mode: "url", ...page }, signal, entry.name);
    if (action !== "accept") return `${needs} The user did not open it.`;
  }
  return `${needs} The user was shown the page. Call the tool again when the user says that it is done.`;
}
