import fc from "fast-check";
import { expect, test } from "vitest";
import { type Claim, READS_EVERYTHING, WRITES_EVERYTHING, claimsConflict, placeSegments } from "./access.ts";

const reads = (place: string): Claim[] => [{ mode: "read", place }];
const writes = (place: string): Claim[] => [{ mode: "write", place }];

test.each<[string, string[]]>([
  ["*", []],
  ["fs:/", ["fs"]],
  ["fs:/repo/src/a.ts", ["fs", "repo", "src", "a.ts"]],
  ["fs:/repo//src/./a.ts/", ["fs", "repo", "src", "a.ts"]],
  ["fs:/repo/../src/x/../a.ts", ["fs", "src", "a.ts"]],
  ["fs:/../../a", ["fs", "a"]],
  ["fs:/a\nb/c d", ["fs", "a\nb", "c d"]],
  ["context:/cwd", ["context", "cwd"]],
  ["git+ssh.2-x:/a", ["git+ssh.2-x", "a"]],
])("The way to %j is %j", (place, segments) => {
  expect(placeSegments(place)).toEqual(segments);
});

test.each([["", "fs", "fs:", "fs:a", "/a/b", "FS:/a", "2fs:/a", "**", " *", " fs:/a"]])(
  "What is not a place has no way to it",
  (...texts) => {
    const others = [undefined, null, 7, {}, ["*"], Symbol("place")];
    expect([...texts, ...others].map((place) => placeSegments(place))).toEqual(
      [...texts, ...others].map(() => undefined),
    );
  },
);

test.each<[string, Claim[], Claim[], boolean]>([
  ["two reads of one place", reads("fs:/a"), reads("fs:/a"), false],
  ["a read and a write of one place", reads("fs:/a"), writes("fs:/a"), true],
  ["two writes of one place", writes("fs:/a"), writes("fs:/a"), true],
  ["a write below a read", writes("fs:/src/a.ts"), reads("fs:/src"), true],
  ["a write above a read", writes("fs:/src"), reads("fs:/src/a.ts"), true],
  ["writes beside each other", writes("fs:/src/a"), writes("fs:/src/b"), false],
  ["names that begin alike", writes("fs:/src/a"), writes("fs:/src/ab"), false],
  ["the same path of two schemes", writes("fs:/a"), writes("mcp:/a"), false],
  ["a write of everything and a read", writes("*"), reads("mcp:/github"), true],
  ["a read of everything and a write", reads("*"), writes("context:/cwd"), true],
  ["reads of everything", reads("*"), reads("*"), false],
  ["two forms of one place", writes("fs:/a/./b"), reads("fs:/a/c/../b/"), true],
  ["no claims and a write of everything", [], writes("*"), false],
  ["one of several", [...reads("fs:/a"), ...writes("fs:/b")], [...reads("fs:/c"), ...reads("fs:/b/x")], true],
])("Whether they conflict: %s", (_, some, others, expected) => {
  expect(claimsConflict(some, others)).toBe(expected);
  expect(claimsConflict(others, some)).toBe(expected);
});

test("An invalid place counts as a write to everything, as in the claim queues", () => {
  expect(claimsConflict(reads("no place"), reads("fs:/a"))).toBe(true);
  expect(claimsConflict(reads("fs:/a"), reads("no place"))).toBe(true);
});

test("The default claims are one read or one write of everything", () => {
  expect(WRITES_EVERYTHING).toEqual(writes("*"));
  expect(READS_EVERYTHING).toEqual(reads("*"));
});

const someName = fc.constantFrom("a", "b", "c");
const somePath = fc.array(someName, { maxLength: 4 });

test("A write conflicts with all claims above and below its place, and with no others", () => {
  fc.assert(
    fc.property(somePath, somePath, (one, other) => {
      const isPrefix = (short: string[], long: string[]): boolean =>
        short.every((name, at) => name === long[at]);
      const related = isPrefix(one, other) || isPrefix(other, one);
      expect(claimsConflict(writes(`fs:/${one.join("/")}`), reads(`fs:/${other.join("/")}`))).toBe(related);
    }),
  );
});

test("Paths with . and .. lead to the same place", () => {
  const detour = fc.constantFrom("", ".", "x/..", "x/y/../..");
  fc.assert(
    fc.property(fc.array(fc.tuple(someName, detour), { maxLength: 5 }), (parts) => {
      const straight = `fs:/${parts.map(([name]) => name).join("/")}`;
      const roundabout = `fs:/${parts.map(([name, way]) => `${way}/${name}`).join("/")}`;
      expect(placeSegments(roundabout)).toEqual(placeSegments(straight));
    }),
  );
});
