/** Limits the length of texts from hooks. */

import { setTimeout as pause } from "node:timers/promises";
import type { Said } from "./answer.ts";
import { messageOf } from "@runahead/base";
import { beginning } from "./words.ts";

const MAX_CHARS = 10_000;
/** A verdict must not wait for a disk that hangs. */
const STORE_LIMIT_MS = 2_000;

/** Stores a text that is too long and returns where to find it. */
export type StoreText = (text: string) => string | Promise<string>;

export async function boundSaid(said: Said, store: StoreText | undefined): Promise<Said> {
  const { reason, context, message, stop } = said;
  const texts = [reason, message, stop ?? "", ...context];
  if (texts.every((text) => text.length <= MAX_CHARS)) return said;
  const [shortReason = "", shortMessage = "", shortStop, ...shortContext] = await Promise.all(
    texts.map((text) => bound(text, store)),
  );
  return {
    ...said,
    reason: shortReason,
    message: shortMessage,
    stop: stop === undefined ? undefined : shortStop,
    context: shortContext,
  };
}

async function bound(text: string, store: StoreText | undefined): Promise<string> {
  if (text.length <= MAX_CHARS) return text;
  const where = await stored(text, store);
  return `${beginning(text, MAX_CHARS)}\n[Cut off after ${MAX_CHARS} of ${text.length} characters.${where}]`;
}

async function stored(text: string, store: StoreText | undefined): Promise<string> {
  if (store === undefined) return "";
  const tooLate = new AbortController();
  const late = pause(STORE_LIMIT_MS, undefined, { signal: tooLate.signal }).then(() => {
    throw new Error("it took too long");
  });
  try {
    return ` The full text is in ${await Promise.race([store(text), late])}.`;
  } catch (error) {
    return ` The full text could not be stored: ${messageOf(error)}.`;
  } finally {
    tooLate.abort();
    late.catch(() => {});
  }
}
