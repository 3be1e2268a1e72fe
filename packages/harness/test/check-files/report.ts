/** Counts what was found out about files: how many are understood, and each reason with its count. */

import type { Judged } from "./judge.ts";

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
  "output-styles",
  "mcp",
];

/** The lines of the report; with `hasPlaces`, also the files of each reason. */
export function reportLines(judged: readonly Judged[], hasPlaces: boolean): string[] {
  return ORDER.flatMap((kind) => {
    const all = judged.filter((one) => one.kind === kind);
    if (all.length === 0) return [];
    const counted = all.filter(({ isRemark }) => isRemark !== true);
    const understood = counted.filter(({ losses }) => losses.length === 0).length;
    const percent = counted.length === 0 ? 100 : (100 * understood) / counted.length;
    return [
      `${kind}: ${understood} of ${counted.length} understood without loss (${percent.toFixed(1)} %)`,
      ...reasonLines(
        "lost",
        all.map(({ where, losses }) => [where, losses] as const),
        hasPlaces,
      ),
      ...reasonLines(
        "note",
        all.map(({ where, notes }) => [where, notes] as const),
        hasPlaces,
      ),
    ];
  });
}

function reasonLines(
  label: string,
  all: readonly (readonly [where: string, reasons: readonly string[]])[],
  hasPlaces: boolean,
): string[] {
  const counts = new Map<string, string[]>();
  for (const [where, reasons] of all)
    for (const reason of new Set(reasons)) counts.set(reason, [...(counts.get(reason) ?? []), where]);
  return [...counts]
    .toSorted((one, other) => other[1].length - one[1].length)
    .flatMap(([reason, places]) => [
      `  ${label} ${String(places.length).padStart(4)}  ${reason}`,
      ...(hasPlaces ? places.map((place) => `              ${place}`) : []),
    ]);
}
