/** `npm run check:files -- DIR`: how many of other people's files are understood, and why the rest is not. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { findFiles } from "./find.ts";
import { SettingKeys } from "./keys.ts";
import { type Judged, judge } from "./judge.ts";

const ORDER = [
  "settings",
  "permission rules",
  "hooks",
  "agents",
  "commands",
  "skills",
  "plugins",
  "memory",
  "rules",
  "mcp",
];

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined) {
  console.error(
    "Usage: npm run check:files -- DIR [--where] [--keys]\n--where also lists the files of each reason, --keys every key of the settings.",
  );
  process.exit(2);
}
const judged: Judged[] = [];
const keys = new SettingKeys();
for (const found of await findFiles(resolve(folder))) {
  const text = await readFile(found.file, "utf8");
  if (found.kind === "settings") keys.add(text);
  judged.push(
    ...(await judge(found, text).catch((error: unknown) => [
      { kind: found.kind, where: found.path, losses: [`cannot be read: ${String(error)}`], notes: [] },
    ])),
  );
}
for (const kind of ORDER)
  report(
    kind,
    judged.filter((one) => one.kind === kind),
  );

if (flags.includes("--keys")) for (const line of keys.lines()) console.log(line);

function report(kind: string, all: readonly Judged[]): void {
  if (all.length === 0) return;
  const counted = all.filter(({ isRemark }) => isRemark !== true);
  const understood = counted.filter(({ losses }) => losses.length === 0).length;
  const percent = ((100 * understood) / counted.length).toFixed(1);
  console.log(`${kind}: ${understood} of ${counted.length} understood without loss (${percent} %)`);
  list("lost", all, ({ losses }) => losses);
  list("note", all, ({ notes }) => notes);
}

function list(label: string, all: readonly Judged[], reasons: (one: Judged) => readonly string[]): void {
  const counts = new Map<string, string[]>();
  for (const one of all)
    for (const reason of new Set(reasons(one)))
      counts.set(reason, [...(counts.get(reason) ?? []), one.where]);
  for (const [reason, where] of [...counts].toSorted((a, b) => b[1].length - a[1].length)) {
    console.log(`  ${label} ${String(where.length).padStart(4)}  ${reason}`);
    if (flags.includes("--where")) for (const one of where) console.log(`              ${one}`);
  }
}
