/** Writes llms.txt (one line per page), llms-full.txt (all pages), and each page as Markdown. */

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function writeLlms(pages, { from, to }) {
  const groups = Map.groupBy?.(pages, ({ group }) => group) ?? grouped(pages);
  const [home] = pages;
  const lines = [`# ${home.title}`, "", `> ${home.about}`];
  for (const [group, items] of groups) {
    if (group === home.group) continue;
    lines.push("", `## ${group}`, "");
    for (const { page, title, about } of items)
      lines.push(`- [${title}](${page})${about === "" ? "" : `: ${about}`}`);
  }
  for (const { page } of pages) {
    mkdirSync(dirname(join(to, page)), { recursive: true });
    copyFileSync(join(from, page), join(to, page));
  }
  writeFileSync(join(to, "llms.txt"), `${lines.join("\n")}\n`);
  const read = ({ page }) => `<!-- ${page} -->\n\n${withoutDrawings(readFileSync(join(from, page), "utf8"))}`;
  writeFileSync(join(to, "llms-full.txt"), pages.map(read).join("\n\n"));
}

/** Node 20 has no `Map.groupBy`. */
function grouped(pages) {
  const groups = new Map();
  for (const page of pages) groups.set(page.group, [...(groups.get(page.group) ?? []), page]);
  return groups;
}

/** Replaces each diagram with its description. */
function withoutDrawings(text) {
  return text.replaceAll(/<svg[^]*?<desc>([^]*?)<\/desc>[^]*?<\/svg>/g, "(Diagram: $1)");
}
