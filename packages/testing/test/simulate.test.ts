import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, type Claim, defineTool } from "@runahead/engine";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { simulate } from "../src/index.ts";

const input = z.object({ file: z.string() });
const places = (mode: Claim["mode"], ...paths: readonly string[]): Claim[] =>
  paths.map((path) => ({ mode, place: `fs:${path}` }));

/** Appends to a file, and to an index that is shared by all. */
function noteTool(claimsIndex: boolean): AnyTool {
  return defineTool({
    name: "Note",
    description: "Note",
    inputSchema: input,
    access: ({ file }, { cwd }) =>
      places("write", join(cwd, file), ...(claimsIndex ? [join(cwd, "index.txt")] : [])),
    describe: ({ file }) => `Note ${file}`,
    call: async ({ file }, { cwd }) => {
      await appendFile(join(cwd, file), "line\n");
      await appendFile(join(cwd, "index.txt"), `${file}\n`);
      return "noted";
    },
  });
}

/** Counts the lines of a file. */
function countTool(claims: boolean): AnyTool {
  return defineTool({
    name: "Count",
    description: "Count",
    inputSchema: input,
    isReadOnly: () => true,
    access: ({ file }, { cwd }) => (claims ? places("read", join(cwd, file)) : []),
    call: async ({ file }, { cwd }) => {
      const text = await readFile(join(cwd, file), "utf8").catch(() => "");
      return `${text.split("\n").length - 1} lines in ${join(cwd, file)}`;
    },
  });
}

const CALLS = ["a.txt", "b.txt"].flatMap((file) => [
  { name: "Note", input: { file } },
  { name: "Count", input: { file } },
]);

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "runahead-testing-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  await writeFile(join(path, "a.txt"), "first\n");
  return path;
}

test("tools whose claims are complete have no races, and their folder stays as it was", async () => {
  const path = await folder();
  const found = await simulate([noteTool(true), countTool(true)], { folder: path, calls: CALLS, seeds: 15 });
  expect(found).toEqual({ runs: 15, races: [] });
  expect(await readFile(join(path, "a.txt"), "utf8")).toBe("first\n");
});

test("a write without a claim is named with its path, its call and its seed, and the seed shows it again", async () => {
  const options = { calls: CALLS.filter(({ name }) => name === "Note"), seeds: 3 };
  const { races } = await simulate([noteTool(false)], options);
  const [race] = races;
  expect(race).toMatchObject({ kind: "unclaimed-write", paths: ["index.txt"] });
  expect(race?.message).toMatch(/^Note [ab]\.txt changed index\.txt without a claim to write there\.$/);
  const again = await simulate([noteTool(false)], { ...options, seeds: [race?.seed ?? 0] });
  expect(again.races[0]).toEqual(race);
});

test("a tool that says that it only reads and writes is found", async () => {
  const liar = { ...noteTool(true), isReadOnly: () => true, access: undefined } as unknown as AnyTool;
  const { races } = await simulate([liar], { calls: [{ name: "Note", input: { file: "a.txt" } }], seeds: 1 });
  expect(races[0]?.kind).toBe("unclaimed-write");
});

test("a read without a claim shows as calls that should not affect each other and do", async () => {
  const { races } = await simulate([noteTool(true), countTool(false)], { calls: CALLS, seeds: 30 });
  expect(races.length).toBeGreaterThan(0);
  expect(new Set(races.map(({ kind }) => kind)).has("order-matters")).toBe(true);
  expect(races[0]?.message).toContain("The calls claim not to conflict");
});

test("a tool without declarations writes everything, so nothing is found", async () => {
  const plain = { ...noteTool(false), access: undefined } as unknown as AnyTool;
  expect((await simulate([plain], { calls: [CALLS[0] as never], seeds: 3 })).races).toEqual([]);
});

test("tools and calls can be made for each copy of the folder", async () => {
  const made: string[] = [];
  const { runs } = await simulate((path) => (made.push(path), [countTool(true)]), {
    calls: (path) => [{ name: "Count", input: { file: join(path, "a.txt") } }],
    seeds: 2,
  });
  expect([runs, new Set(made).size > 2]).toEqual([2, true]);
});

test("without calls, random ones that fit the schemas are made from the seed, with the files of the folder", async () => {
  const path = await folder();
  const { races } = await simulate([noteTool(false), countTool(true)], { folder: path, seeds: 5 });
  expect(races.length).toBeGreaterThan(0);
  expect(new Set(races.flatMap(({ paths }) => paths))).toEqual(new Set(["index.txt"]));
  expect(races.flatMap(({ calls }) => calls).join()).toContain("Note a.txt");
  const [race] = races;
  const again = await simulate([noteTool(false), countTool(true)], {
    folder: path,
    seeds: [race?.seed ?? 0],
  });
  expect(again.races[0]).toEqual(race);
  const complete = await simulate([noteTool(true), countTool(true)], { folder: path, seeds: 10 });
  expect(complete).toEqual({ runs: 10, races: [] });
});

test("random calls fit schemas with choices, limits, lists, formats and references", async () => {
  const seen: unknown[] = [];
  const node: z.ZodType = z.lazy(() => z.object({ child: node.optional(), count: z.int().min(3).max(4) }));
  const inputSchema = z.object({
    kind: z.enum(["x", "y"]),
    same: z.literal(7),
    either: z.union([z.boolean(), z.null()]),
    many: z.array(z.string().min(8)).min(1).max(2),
    mail: z.email(),
    half: z.number().gt(1).multipleOf(2),
    node,
  });
  const odd = defineTool({
    name: "Odd",
    description: "Odd",
    inputSchema,
    isReadOnly: () => true,
    access: () => [],
    call: (given) => void seen.push(given),
  });
  expect((await simulate([odd], { seeds: 10 })).races).toEqual([]);
  expect(seen.length).toBeGreaterThan(30);
  for (const given of seen) expect(inputSchema.safeParse(given).success).toBe(true);
  const strange = defineTool({
    ...{ name: "Strange", description: "Strange", call: () => "" },
    inputSchema: z.object({ code: z.string().regex(/^\d{9}$/) }),
  });
  await expect(simulate([strange], { seeds: 1 })).rejects.toThrow(
    'no random input fits the schema of the tool "Strange". Pass "calls"',
  );
});

test("wrong options are named", async () => {
  await expect(simulate([])).rejects.toThrow(/simulate: pass one or more tools/);
  await expect(simulate(undefined as never)).rejects.toThrow(
    'simulate: "tools" must be an array of tools, got undefined.',
  );
  await expect(simulate([], { calls: [], seed: 1 } as never)).rejects.toThrow(/unknown option "seed"/);
  await expect(simulate([], { calls: [] })).rejects.toThrow(/must be an array of calls that is not empty/);
  await expect(simulate([], { calls: CALLS })).rejects.toThrow(/unknown tool "(Note|Count)"/);
  await expect(simulate([], { calls: CALLS, seeds: 0 })).rejects.toThrow(/"seeds" must be a whole number/);
});

/** Does something in the folder, and claims one path. */
function doing(claimed: string, act: (cwd: string) => unknown): AnyTool {
  return defineTool({
    name: "Do",
    description: "Do",
    inputSchema: input,
    access: (_input, { cwd }) => places("write", join(cwd, claimed)),
    call: async (_input, { cwd }) => {
      await act(cwd);
      return "done";
    },
  });
}
const ONE = [{ name: "Do", input: { file: "x" } }];

test("pipes are not copied, and one that a call makes is a change like any other", async () => {
  const path = await folder();
  // The same call can be made several times.
  const pipe = (cwd: string): unknown =>
    existsSync(join(cwd, "pipe")) || execFileSync("mkfifo", [join(cwd, "pipe")]);
  pipe(path);
  expect(await simulate([doing("pipe", pipe)], { folder: path, calls: ONE, seeds: 1 })).toEqual({
    runs: 1,
    races: [],
  });
  const { races } = await simulate([doing("other", pipe)], { folder: path, calls: ONE, seeds: 1 });
  expect([races[0]?.kind, races[0]?.paths]).toEqual(["unclaimed-write", ["pipe"]]);
});

test("a call that changes a link writes the link, and a call that writes through it writes its target", async () => {
  const path = await folder();
  await symlink("a.txt", join(path, "link"));
  const relink = async (cwd: string): Promise<void> => {
    await rm(join(cwd, "link"));
    await symlink("b.txt", join(cwd, "link"));
  };
  const through = (cwd: string): Promise<void> => appendFile(join(cwd, "link"), "more");
  const found = async (claimed: string, act: (cwd: string) => unknown): Promise<unknown> => {
    const { races } = await simulate([doing(claimed, act)], { folder: path, calls: ONE, seeds: 1 });
    return races.length === 0 ? "nothing" : `${races[0]?.kind} ${races[0]?.paths.join()}`;
  };
  expect(await found("link", relink)).toBe("nothing");
  for (const target of ["a.txt", "b.txt"]) expect(await found(target, relink)).toBe("unclaimed-write link");
  expect([await found("link", through), await found("a.txt", through)]).toEqual(["nothing", "nothing"]);
  expect(await found("b.txt", through)).toBe("unclaimed-write a.txt");
});

test("an error that is the same in every order is not a race, and one that differs is", async () => {
  const path = await folder();
  const failing = (what: (cwd: string) => string) =>
    doing("x", (cwd) => Promise.reject(new Error(what(cwd))));
  const seen = async (what: (cwd: string) => string): Promise<number> =>
    (await simulate([failing(what)], { folder: path, calls: ONE, seeds: 3 })).races.length;
  let count = 0;
  expect([await seen((cwd) => `nothing in ${cwd}`), (await seen(() => `try ${++count}`)) > 0]).toEqual([
    0,
    true,
  ]);
});
