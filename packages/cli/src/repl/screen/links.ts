/**
 * OSC 8 hyperlinks, where the terminal draws them. The target of a link is always what the text says: an address that is
 * on the screen, or a file whose path is.
 */

import { pathToFileURL } from "node:url";
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalKind } from "./terminal-kind.ts";

/** Undefined until it is needed. */
let hasLinks: boolean | undefined;

/** For tests: whether the terminal draws links. */
export function setLinks(isOn: boolean | undefined): void {
  hasLinks = isOn;
}

function isLinking(): boolean {
  hasLinks ??= terminalKind(process.env).hasLinks;
  return hasLinks;
}

/** The last targets of our own links. A link with any other target is removed. */
const targets = new Set<string>();
const MOST_TARGETS = 10_000;

export const LINK_END = "\u001b]8;;\u001b\\";

/** Links a text to a file. Without support of the terminal: the text. */
export function fileLink(text: string, path: string): string {
  return isLinking() ? linked(text, pathToFileURL(path).href) : text;
}

function linked(text: string, target: string): string {
  if (!/^(?:https?|file):\/\/[\u0021-\u007e]+$/.test(target)) return text;
  if (targets.size >= MOST_TARGETS) targets.clear();
  targets.add(target);
  return `\u001b]8;;${target}\u001b\\${text}${LINK_END}`;
}

/** Whether a sequence begins or ends one of our own links. */
export function isOwnLink(sequence: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the form of our own links
  const target = /^\u001b\]8;;([^\u001b\u0007]*)\u001b\\$/.exec(sequence)?.[1];
  return target !== undefined && isLinking() && (target === "" || targets.has(target));
}

/** Matches the beginning or the end of a link. */
// oxlint-disable-next-line no-control-regex -- the form of our own links
const LINK = /\u001b\]8;;[^\u001b\u0007]*\u001b\\/;

const ADDRESS = /https?:\/\/[\u0021\u0023-\u0026\u0028-\u003b\u003d\u003f-\u007e]+/g;

/** Links the addresses in a line. One that reaches the last column can go on in the next row and is left as it is. */
export function withLinks(line: string, columns: number): string {
  if (!line.includes("://") || !isLinking() || LINK.test(line)) return line;
  return line.replaceAll(ADDRESS, (found: string, at: number) => {
    const address = balanced(found);
    const isCut = visibleWidth(line.slice(0, at + address.length)) >= columns;
    return isCut ? found : `${linked(address, address)}${found.slice(address.length)}`;
  });
}

/** Without punctuation after it, and without a parenthesis that closes one before it. */
function balanced(found: string): string {
  const address = found.replace(/[.,:;!?'*_]+$/, "");
  const isOpen = address.split("(").length >= address.split(")").length;
  return address.endsWith(")") && !isOpen ? balanced(address.slice(0, -1)) : address;
}
