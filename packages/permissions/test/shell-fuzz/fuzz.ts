/**
 * Generates commands from a seed, runs those that are allowed in the jail, and checks what they did against the rules.
 */

import { createPermissions, type Permissions } from "../../src/verdict/permissions.ts";
import { isAllowed, problemsOf } from "./check.ts";
import { type Made, makeCommand } from "./grammar.ts";
import type { Jail } from "./jail.ts";
import { type Create, permissionsOf, type RuleSet } from "./rule-sets.ts";
import { shrink } from "./shrink.ts";

interface Counterexample extends Made {
  /** A shorter command with the same problem. */
  readonly shrunk: string;
  readonly problems: readonly string[];
}

export interface Report {
  readonly total: number;
  readonly allowed: number;
  /** By kind of command: how many were generated and how many allowed. */
  readonly kinds: ReadonlyMap<string, readonly [total: number, allowed: number]>;
  readonly programs: number;
  readonly changes: number;
  readonly cut: number;
  readonly counterexamples: readonly Counterexample[];
}

export interface Fuzzing {
  readonly firstSeed: number;
  readonly count: number;
  readonly jail: Jail;
  /** Creates the permissions under test. Default: those of the sources. */
  readonly create?: Create;
  /** Which commands are judged and run. Default: all. */
  readonly takes?: (made: Made) => boolean;
  /** Stops after this many; the report counts what was checked until then. */
  readonly maxCounterexamples?: number;
  /** False: counterexamples are not shortened. */
  readonly shrinks?: boolean;
  readonly onProgress?: (done: number) => void;
}

const BATCH = 200;

/** Returns permissions by rule set, each created once. */
export function permissionsBy(create: Create): (rules: RuleSet) => Permissions {
  const made = new Map<RuleSet, Permissions>();
  return (rules) => {
    const permissions = made.get(rules) ?? permissionsOf(rules, create);
    made.set(rules, permissions);
    return permissions;
  };
}

export async function fuzz(options: Fuzzing): Promise<Report> {
  const {
    firstSeed,
    count,
    jail,
    create = createPermissions,
    takes = () => true,
    maxCounterexamples = 20,
    shrinks = true,
    onProgress,
  } = options;
  const permissions = permissionsBy(create);
  const kinds = new Map<string, readonly [number, number]>();
  const sums = { total: 0, allowed: 0, programs: 0, changes: 0, cut: 0 };
  const counterexamples: Counterexample[] = [];
  for (
    let seed = firstSeed;
    seed < firstSeed + count && counterexamples.length < maxCounterexamples;
    seed += BATCH
  ) {
    const made = Array.from({ length: Math.min(BATCH, firstSeed + count - seed) }, (_, at) =>
      makeCommand(seed + at),
    ).filter(takes);
    const allowed = made.filter((one) => isAllowed(one, permissions(one.rules)));
    for (const one of made) {
      const [total, yes] = kinds.get(one.kind) ?? [0, 0];
      kinds.set(one.kind, [total + 1, yes + (allowed.includes(one) ? 1 : 0)]);
    }
    const deeds = allowed.length === 0 ? [] : await jail.run(allowed.map(({ command }) => command));
    for (const [at, deed] of deeds.entries()) {
      const one = allowed[at] as Made;
      const problems = problemsOf(deed, one, permissions(one.rules));
      sums.programs += deed.ran.length;
      sums.changes += deed.changed.length;
      if (deed.isCut) sums.cut++;
      if (problems.length === 0 || counterexamples.length >= maxCounterexamples) continue;
      const less = shrinks
        ? await shrink(one, { jail, permissions: permissions(one.rules), problems })
        : { shrunk: one.command, problems };
      counterexamples.push({ ...one, ...less });
    }
    sums.total += made.length;
    sums.allowed += allowed.length;
    onProgress?.(sums.total);
  }
  return { ...sums, kinds, counterexamples };
}

export function describeReport({
  total,
  allowed,
  kinds,
  programs,
  changes,
  cut,
  counterexamples,
}: Report): string {
  const share = ((100 * allowed) / Math.max(1, total)).toFixed(1);
  const byKind = [...kinds].map(([kind, [all, yes]]) => `${kind} ${yes} of ${all}`).join(", ");
  return [
    `${total} commands, ${allowed} allowed (${share} %: ${byKind}); they ran ${programs} programs and changed ${changes} files; ${cut} took too long; ${counterexamples.length} counterexamples`,
    ...counterexamples.map(describeCounterexample),
  ].join("\n");
}

function describeCounterexample({ seed, rules, command, shrunk, problems }: Counterexample): string {
  return [
    `- seed ${seed}, rules ${JSON.stringify(rules.settings)}`,
    `  command ${JSON.stringify(command)}`,
    `  shrunk  ${JSON.stringify(shrunk)}`,
    ...problems.map((problem) => `  ${JSON.stringify(problem)}`),
  ].join("\n");
}
