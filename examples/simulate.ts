/** Finds a race in a tool: it writes a file that its `access` does not declare. */

import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTool } from "@runahead/engine";
import { simulate } from "@runahead/testing";
import { z } from "zod";

const inputSchema = z.object({ page: z.string(), text: z.string() });

/** Saves a page and adds it to the list of pages. */
const savePage = (declaresList: boolean) =>
  defineTool({
    name: "SavePage",
    description: "Saves a page.",
    inputSchema,
    access: ({ page }, { cwd }) => [
      { mode: "write", place: `fs:${join(cwd, `${page}.md`)}` },
      ...(declaresList ? [{ mode: "write", place: `fs:${join(cwd, "pages.txt")}` } as const] : []),
    ],
    describe: ({ page }) => `Save ${page}`,
    async call({ page, text }, { cwd }) {
      await writeFile(join(cwd, `${page}.md`), text);
      await appendFile(join(cwd, "pages.txt"), `${page}\n`);
      return "saved";
    },
  });

const calls = ["home", "about", "news"].map((page) => ({
  name: "SavePage",
  input: { page, text: `# ${page}` },
}));

const before = await simulate([savePage(false)], { calls, seeds: 5 });
console.log(before.races[0]?.message);
const after = await simulate([savePage(true)], { calls, seeds: 5 });
console.log(`with the list declared: ${after.races.length} races in ${after.runs} runs`);
