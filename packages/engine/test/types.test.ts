import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { expect, test } from "vitest";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

/** Compiles the type tests with one line changed; gives what the compiler says. */
async function compile(change: (text: string) => string): Promise<string> {
  const folder = await mkdtemp(join(HERE, "types-"));
  try {
    await copyFile(join(HERE, "types/flow.ts"), join(folder, "flow.ts"));
    await writeFile(join(folder, "flow.ts"), change(await readFile(join(folder, "flow.ts"), "utf8")));
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../../../tsconfig.json", include: ["flow.ts"] }),
    );
    return await new Promise((resolve) => {
      execFile(process.execPath, [TSC, "-p", folder], (_error, stdout) => resolve(stdout));
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("types flow from the schema into every member of a tool", { timeout: 60_000 }, async () => {
  expect(await compile((text) => text)).toBe("");
});

test("the type test can fail", { timeout: 60_000 }, async () => {
  expect(await compile((text) => text.replace("limit: number; tags", "limit: string; tags"))).toContain(
    "error TS",
  );
});
