import { expect, test } from "vitest";
import { drainWorker, fleet, remote, startWorker } from "./index.ts";

const tool = { name: "Look", description: "", inputSchema: {}, call: () => "seen" };
const where = { connection: "redis://127.0.0.1:1", queue: "tools" };

test("invalid options and tools of remote are rejected", () => {
  const made = (tools: unknown, more: object) => () => remote(tools as never, { ...where, ...more });
  expect(made([tool], { waitMS: 1 })).toThrow('remote: unknown option "waitMS". Did you mean "waitMs"?');
  expect(made({ tool }, {})).toThrow('remote: "tools" must be an array of tools');
  expect(made([{ ...tool, isReadOnly: true }], {})).toThrow("must be a function, such as () => true");
  expect(made([tool], { connection: undefined })).toThrow('remote: "connection" is required.');
  expect(made([tool], { workspace: { name: "a", whenlost: "move" } })).toThrow('Did you mean "whenLost"?');
  expect(made([tool], { workspace: { name: "a", whenLost: "mov" } })).toThrow('Did you mean "move"?');
});

test("invalid options of startWorker, fleet and drainWorker are rejected", async () => {
  const worker = (more: object) => startWorker({ tools: [tool], ...where, ...more });
  await expect(worker({ concurency: 2 })).rejects.toThrow('Did you mean "concurrency"?');
  await expect(worker({ tools: tool })).rejects.toThrow('startWorker: "tools" must be an array of tools');
  await expect(worker({ connection: 6379 })).rejects.toThrow("must be a Redis URL such as");
  await expect(fleet({ ...where, que: "" } as never)).rejects.toThrow('fleet: unknown option "que".');
  await expect(drainWorker(where, undefined as never)).rejects.toThrow("the id of the worker is required");
});
