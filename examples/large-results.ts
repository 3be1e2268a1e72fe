/** Stores results that are too large for the model in files. The model gets the beginning, the end and the path. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamingToolExecutor, defineTool } from "@runahead/engine";
import { z } from "zod";

const folder = await mkdtemp(join(tmpdir(), "runahead-results-"));

const count = defineTool({
  name: "Count",
  description: "Counts.",
  inputSchema: z.object({ to: z.number() }),
  isReadOnly: () => true,
  maxResultChars: 10_000,
  call: ({ to }) => Array.from({ length: to }, (_, at) => `line ${at + 1}`).join("\n"),
});

const executor = new StreamingToolExecutor({
  tools: [count],
  results: {
    async store({ callId, text }) {
      const file = join(folder, `${callId}.txt`);
      await writeFile(file, text, { mode: 0o600 });
      return file;
    },
    turnChars: 50_000,
  },
});
executor.add({ id: "small", name: "Count", input: { to: 3 } });
executor.add({ id: "large", name: "Count", input: { to: 100_000 } });

for await (const update of executor.remaining()) {
  if (update.type === "result")
    console.log(update.callId, JSON.stringify(update.result.content).slice(0, 120));
}
const whole = await readFile(join(folder, "large.txt"), "utf8");
console.log("the file has", whole.split("\n").length, "lines");
await rm(folder, { recursive: true });
