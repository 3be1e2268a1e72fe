import { expect, test } from "vitest";
import { textOf } from "./source.ts";

/** The unions of events, and the section of docs/events.md that lists each. */
const UNIONS = [
  { file: "packages/agent/src/loop/event.ts", union: "AgentEvent", section: "Agent events" },
  { file: "packages/engine/src/runtime/notice.ts", union: "EngineEvent", section: "Executor events" },
  { file: "packages/engine/src/runtime/outbox.ts", union: "Update", section: "Executor updates" },
] as const;

/** The fields of each member of a union, by the value of its `type`. */
function membersOf(file: string, union: string): Map<string, string[]> {
  const text = textOf(file);
  const start = text.indexOf(`export type ${union} =`);
  const [declared = ""] = text.slice(start).split(/;\n\n/, 1);
  const members = declared.split(/readonly type: "/).slice(1);
  return new Map(
    members.map((member) => {
      const fields = [...member.matchAll(/readonly (\w+):/g)].map(([, name = ""]) => name);
      return [member.slice(0, member.indexOf('"')), fields];
    }),
  );
}

/** The rows of the table in a section, by the name in their first column. */
function rowsOf(section: string): Map<string, string> {
  const text = textOf("docs/events.md");
  const start = text.indexOf(`\n## ${section}\n`);
  const [body = ""] = text.slice(start + 4).split(/\n## /, 1);
  return new Map(
    [...body.matchAll(/^\| `([\w-]+)` \|(.*)$/gm)].map(([, name = "", row = ""]) => [name, row]),
  );
}

test.each(UNIONS)("docs/events.md lists every $union with its fields", ({ file, union, section }) => {
  const members = membersOf(file, union);
  const rows = rowsOf(section);
  expect(members.size).toBeGreaterThan(1);
  expect([...rows.keys()].toSorted()).toEqual([...members.keys()].toSorted());
  const missing = [...members].flatMap(([type, fields]) =>
    fields.filter((field) => !rows.get(type)?.includes(`\`${field}`)).map((field) => `${type}.${field}`),
  );
  expect(missing).toEqual([]);
});
