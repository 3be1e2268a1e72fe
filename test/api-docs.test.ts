import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source.ts";

const LIMIT_MS = 120_000;

function check(...args: string[]): Promise<{ code: number | null; printed: string; problems: string[] }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["scripts/api-docs.mjs", ...args],
      { cwd: ROOT },
      (_error, printed) =>
        resolve({
          code: child.exitCode,
          printed,
          problems: [...printed.matchAll(/^✗ (.*)$/gm)].map((match) => match[1] as string),
        }),
    );
  });
}

/** The problems of a module with this text, without its path. */
async function problemsOf(...lines: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "runahead-api-docs-test-"));
  try {
    const path = join(folder, "module.ts");
    writeFileSync(path, lines.join("\n"));
    const { problems } = await check(path);
    return problems.map((problem) => problem.replace(`${path}:`, ""));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test(
  "every exported name and public member is documented, every entry point has an example, and the examples compile",
  async () => {
    const { code, printed, problems } = await check();
    expect([problems, code]).toEqual([[], 0]);
    const [, documented] = /^@runahead\/engine: (\d+) of \d+ documented/m.exec(printed) ?? [];
    expect(Number(documented)).toBeGreaterThan(100);
  },
  LIMIT_MS,
);

const FENCE = "```";

test(
  "names without documentation, without an example, or with one that does not compile are reported with their line",
  async () => {
    expect(
      await problemsOf(
        "export interface Options {",
        "  /** Named. */",
        "  readonly name: string;",
        "  readonly size: number;",
        "  /** A type without a name, and a list of them. */",
        "  readonly part: { readonly width: number };",
        "  /** A list. */",
        "  readonly rows?: readonly {",
        "    /** The text. */",
        "    text: string;",
        "    height: number;",
        "  }[];",
        "}",
        "/** A union. */",
        'export type Part = { type: "a"; id: string; one: 1 } | {',
        "  /** Which. */",
        "  id: string;",
        '  type: "b" };',
        "/** A class. */",
        "export class Box {",
        "  #hidden = 1;",
        "  private own = 2;",
        "  open(): number {",
        "    return this.#hidden + this.own;",
        "  }",
        "}",
        "/** Errors need no example. */",
        "export class BoxError extends Error {}",
        "/**",
        " * Doubles.",
        " *",
        " * @example",
        ` * ${FENCE}ts`,
        ' * const text: number = "one";',
        ` * ${FENCE}`,
        " */",
        "export const double = (value: number): number => value * 2;",
        "/**",
        " * Halves.",
        " *",
        " * @example half(2)",
        " */",
        "export function half(value: number): number {",
        "  return value / 2;",
        "}",
      ),
    ).toEqual([
      "1: Options is not documented",
      "4: Options.size is not documented",
      "6: Options.part.width is not documented",
      "11: Options.rows.height is not documented",
      "15: Part.one is not documented",
      "20: Box has no @example",
      "23: Box.open is not documented",
      "43: the @example of half must be a block that begins with ```ts",
      "37: the @example does not compile: Type 'string' is not assignable to type 'number'.",
    ]);
  },
  LIMIT_MS,
);
