/** Reads tables of permission cases: calls with the same settings, grouped by expected verdict. */

import { isShape, rejectUnknown, type Shape, shapeOf } from "@runahead/base";
import { type Action, isAction } from "../rules/rule.ts";
import type { PermissionSettings } from "../rules/settings.ts";
import { type Fixture, readFixture } from "./corpus-fixture.ts";
import type { PermissionCase } from "./corpus.ts";

/** Throws a TypeError that names the table. */
export function casesOfTables(file: Shape): PermissionCase[] {
  rejectUnknown(file, ["fixtures", "tables"], "the file");
  const fixtures = new Map(
    Object.entries(shapeOf(file["fixtures"])).map(([name, value]) => [name, readFixture(value)]),
  );
  if (!Array.isArray(file["tables"])) throw new TypeError("tables must be a list");
  return file["tables"].flatMap((table: unknown) => casesOfTable(shapeOf(table), fixtures));
}

function casesOfTable(table: Shape, fixtures: ReadonlyMap<string, Fixture>): PermissionCase[] {
  const { title, settings, cases, confined } = table;
  if (typeof title !== "string") throw new TypeError("a table has no title");
  rejectUnknown(table, ["title", "settings", "fixture", "confined", "cases"], `the table "${title}"`);
  const all = Array.isArray(settings) ? settings : [settings];
  if (all.length === 0 || !all.every(isShape)) throw new TypeError(`the table "${title}" has no settings`);
  if (!isShape(cases)) throw new TypeError(`the table "${title}" has no cases`);
  const shared = {
    category: title,
    requires: [],
    fixture: fixtureOf(table, fixtures),
    ...(confined === undefined ? {} : { confined: confined === true }),
  };
  const judged = Object.entries(cases).flatMap(([verdicts, calls]) => {
    const accept = verdicts.split("|").map((one) => one.trim());
    if (!Array.isArray(calls) || !accept.every(isAction))
      throw new TypeError(
        `the table "${title}": "${verdicts}" must be allow, ask or deny (or several, joined by |) with a list of calls`,
      );
    return calls.map((call: unknown): Omit<PermissionCase, "settings"> => {
      const [tool, input] = callOf(call, title);
      return {
        ...shared,
        id: `${title}: ${JSON.stringify(call)}`,
        tool,
        input,
        expect: accept[0] as Action,
        accept,
      };
    });
  });
  return all.flatMap((one) => judged.map((call) => ({ ...call, settings: one as PermissionSettings })));
}

/** A command, or a tool and its input. */
function callOf(call: unknown, title: string): readonly [tool: string, input: unknown] {
  if (typeof call === "string") return ["Bash", { command: call }];
  if (Array.isArray(call) && typeof call[0] === "string") return [call[0], call[1]];
  throw new TypeError(`the table "${title}": ${JSON.stringify(call)} is neither a command nor [tool, input]`);
}

function fixtureOf({ title, fixture }: Shape, fixtures: ReadonlyMap<string, Fixture>): Fixture {
  if (typeof fixture !== "string") return readFixture(fixture);
  const found = fixtures.get(fixture);
  if (found === undefined)
    throw new TypeError(
      `the table "${String(title)}" uses the fixture "${fixture}", which the file does not define`,
    );
  return found;
}
