import { expect, test } from "vitest";
import { filesOf, importsIn, importsOf, textOf } from "./source.ts";

/** Which of our packages each package imports. A package exists because someone wants it without the others. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  base: [],
  permissions: ["base"],
  mcp: ["base", "engine"],
  adapters: ["base", "engine"],
  workers: ["base", "engine"],
  agent: ["base", "engine", "permissions"],
  tools: ["base", "engine", "permissions"],
  code: ["base", "engine"],
  testing: ["agent", "base", "engine"],
  postgres: ["agent", "base"],
  fleet: ["agent", "base", "engine"],
  harness: ["agent", "base", "engine", "mcp", "permissions", "tools"],
  cli: ["fleet", "harness", "workers"],
};
/** Packages that its bundle loads at run time, so they must be installed with it. */
const BUNDLED = ["agent", "mcp", "permissions", "tools"];

const SOURCES = filesOf(".ts", "packages").filter(
  (file) => file.includes("/src/") && !file.endsWith(".test.ts"),
);
const packageOf = (file: string): string => file.split("/")[1] as string;

test("each package imports only the packages that the table allows", () => {
  expect(Object.keys(MAY_IMPORT).toSorted()).toEqual([...new Set(SOURCES.map(packageOf))].toSorted());
  const foreign = SOURCES.flatMap((file) =>
    importsOf(file)
      .flatMap((name) => /^@runahead\/([\w-]+)/.exec(name)?.[1] ?? [])
      .filter((name) => !MAY_IMPORT[packageOf(file)]?.includes(name))
      .map((name) => `${file} imports ${name}`),
  );
  expect(foreign).toEqual([]);
});

test("imports of every form count", () => {
  const text = [
    'import { a } from "named";',
    'import type { B } from "types";',
    'import "effects";',
    'export * from "exported";',
    'const c = await import("loaded");',
    'type D = import("member").D;',
    '// import "comment";',
    ' * import { e } from "example";',
  ].join("\n");
  expect(importsIn(text)).toEqual(["named", "types", "effects", "exported", "loaded", "member"]);
});

test("no source reaches into another package by a path", () => {
  const reaching = SOURCES.flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith("."))
      .filter((name) => {
        const { pathname } = new URL(name, `file:///${file}`);
        return !pathname.startsWith(`/packages/${packageOf(file)}/`);
      })
      .map((name) => `${file} imports ${name}`),
  );
  expect(reaching).toEqual([]);
});

test("a package depends on exactly the packages that it imports", () => {
  for (const [name, allowed] of Object.entries(MAY_IMPORT)) {
    const manifest = JSON.parse(textOf(`packages/${name}/package.json`)) as { dependencies?: object };
    const own = Object.keys(manifest.dependencies ?? {}).flatMap(
      (one) => /^@runahead\/([\w-]+)$/.exec(one)?.[1] ?? [],
    );
    const expected = name === "cli" ? [...allowed, ...BUNDLED] : allowed;
    expect([name, own.toSorted()]).toEqual([name, expected.toSorted()]);
  }
});

/** The front ends of the program; shared code is in `shared`. */
const FRONT_ENDS = ["acp", "commands", "demo", "headless", "repl"];

test("the front ends of the program share only packages/cli/src/shared", () => {
  const folderOf = (path: string): string => /packages\/cli\/src\/([\w-]+)\//.exec(path)?.[1] ?? "";
  const crossing = SOURCES.filter((file) => FRONT_ENDS.includes(folderOf(file))).flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith(".") && name.endsWith(".ts"))
      .map((name) => [name, folderOf(new URL(name, `file:///${file}`).pathname)] as const)
      .filter(([, folder]) => folder !== folderOf(file) && folder !== "shared")
      .map(([name]) => `${file} imports ${name}`),
  );
  expect(crossing).toEqual([]);
});

/** The folders of the agent that can import the others. */
const AGENT_TOPS = ["loop", "agents", "gate", "telemetry", "timeline", "view"];

test("the parts of the agent do not import the loop", () => {
  const upwards = SOURCES.filter((file) => file.startsWith("packages/agent/src/"))
    .filter((file) => !AGENT_TOPS.some((top) => file.startsWith(`packages/agent/src/${top}/`)))
    .filter((file) => file !== "packages/agent/src/index.ts")
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => AGENT_TOPS.some((top) => name.startsWith(`../${top}/`)))
        .map((name) => `${file} imports ${name}`),
    );
  expect(upwards).toEqual([]);
});
