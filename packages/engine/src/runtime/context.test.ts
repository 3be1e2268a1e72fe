import fc from "fast-check";
import { expect, test } from "vitest";
import { ContextLine } from "./context.ts";

interface Trail {
  readonly cwd: string;
  readonly steps: readonly string[];
}

const START: Trail = { cwd: "/", steps: [] };

const goes =
  (...names: string[]) =>
  (context: Trail): Trail => ({ cwd: names.join("/"), steps: [...context.steps, ...names] });

function newLine(): { line: ContextLine<Trail>; failures: unknown[] } {
  const failures: unknown[] = [];
  return { line: new ContextLine(START, (error) => void failures.push(error)), failures };
}

test("Without changes, all calls see the initial context", () => {
  const { line } = newLine();
  line.delivered(0);
  expect([line.latest === START, line.before(0) === START, line.before(9) === START]).toEqual([
    true,
    true,
    true,
  ]);
});

test("Only later calls see a change, and only after its call has settled", () => {
  const { line } = newLine();
  line.settled(1, [goes("a"), goes("b")]);
  expect([0, 1, 2].map((index) => line.before(index).steps)).toEqual([[], [], ["a", "b"]]);
  expect(line.latest).toEqual({ cwd: "b", steps: ["a", "b"] });
});

test("Changes apply in the model's order, whatever order the calls settle in", () => {
  const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 1 });
  fc.assert(
    fc.property(order, (indices) => {
      const { line } = newLine();
      for (const index of indices) line.settled(index, [goes(`${index}`)]);
      expect(line.latest.steps).toEqual([...indices].sort((one, other) => one - other).map(String));
    }),
  );
});

test("Delivering a call does not change what other calls see", () => {
  const { line } = newLine();
  for (const index of [2, 0, 1]) line.settled(index, [goes(`${index}`)]);
  for (const index of [0, 1, 2]) {
    line.delivered(index);
    expect(line.latest.steps).toEqual(["0", "1", "2"]);
    expect(line.before(index + 1).steps).toEqual(["0", "1", "2"].slice(0, index + 1));
  }
});

test("The change of a call that settles late applies before those of later calls that settled earlier", () => {
  const { line } = newLine();
  line.settled(0, [goes("0")]);
  line.delivered(0);
  line.settled(2, [goes("2")]);
  expect(line.before(3).steps).toEqual(["0", "2"]);
  line.settled(1, [goes("1")]);
  expect(line.before(3).steps).toEqual(["0", "1", "2"]);
});

test("A change that throws is skipped and reported once, and the others apply", () => {
  const { line, failures } = newLine();
  const broken = (): never => {
    throw new Error("no such folder");
  };
  line.settled(0, [goes("a"), broken, goes("b")]);
  expect([line.latest.steps, line.before(1).steps]).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  line.delivered(0);
  expect(line.latest.steps).toEqual(["a", "b"]);
  expect(failures).toEqual([new Error("no such folder")]);
});
