/** Compiled, never run: types flow from the schema into every member of a tool. */

import { z } from "zod";
import {
  StreamingToolExecutor,
  type StandardSchema,
  type Update,
  defineTool,
  runTools,
} from "../../src/index.ts";

type Equal<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
function same<One, Other>(_equal: Equal<One, Other>): void {}

const schema = z.object({
  file_path: z.string(),
  limit: z.number().default(10),
  tags: z.array(z.string()).optional(),
});
type Input = { file_path: string; limit: number; tags?: string[] | undefined };

const read = defineTool({
  name: "Read",
  description: "Reads a file",
  inputSchema: schema,
  isReadOnly(input) {
    same<typeof input, Input>(true);
    return true;
  },
  isConcurrencySafe: (input) => input.limit > 1,
  access(input, { cwd }) {
    same<typeof input, Input>(true);
    same<typeof cwd, string>(true);
    return [{ mode: "read", place: `fs:${input.file_path}` }];
  },
  interruptBehavior: ({ file_path }) => (file_path === "" ? "cancel" : "block"),
  timeoutMs: ({ limit }) => limit * 1000,
  onError: ({ tags }) => (tags === undefined ? "isolate" : "cancel-later"),
  describe: ({ file_path }) => `Read ${file_path}`,
  async call(input, context) {
    same<typeof input, Input>(true);
    same<typeof context.signal, AbortSignal>(true);
    context.change((shared) => ({ ...shared, cwd: "/elsewhere" }));
    return { lines: input.limit };
  },
  toResult(output) {
    same<typeof output, { lines: number }>(true);
    return `${output.lines} lines`;
  },
});

// Any Standard Schema gives its output type.
declare const other: StandardSchema<{ raw: string }, { parsed: number }>;
defineTool({ name: "Other", description: "", inputSchema: other, call: ({ parsed }) => parsed.toFixed() });

// Plain JSON Schema gives unknown members.
defineTool({
  name: "Outside",
  description: "",
  inputSchema: { type: "object" },
  call(input) {
    same<typeof input, Record<string, unknown>>(true);
  },
});

// A context of one's own flows into `call`, and out of the executor.
interface Project {
  readonly cwd: string;
  readonly branch: string;
}
const branch = defineTool<typeof schema, string, Project>({
  name: "Branch",
  description: "",
  inputSchema: schema,
  call: (_input, { context }) => context.branch,
});
const executor = new StreamingToolExecutor<Project>({
  tools: [read, branch],
  context: { cwd: "/", branch: "main" },
});
same<typeof executor.context, Project>(true);

for (const update of executor.completed()) {
  if (update.type === "result") same<typeof update.result.is_error, boolean>(true);
  else same<typeof update.data, unknown>(true);
}
same<ReturnType<typeof runTools>, AsyncIterableIterator<Update>>(true);

defineTool({
  name: "Wrong",
  description: "",
  inputSchema: schema,
  // @ts-expect-error: there is no such field in the schema.
  call: (input) => input.path,
});

defineTool({
  name: "Wrong",
  description: "",
  inputSchema: schema,
  // @ts-expect-error: a claim reads or writes.
  access: () => [{ mode: "append", place: "*" }],
  call: () => "",
});

// @ts-expect-error: a tool must be able to do something.
defineTool({ name: "Wrong", description: "", inputSchema: schema });

// @ts-expect-error: only tools are required, but they are.
new StreamingToolExecutor({});

// @ts-expect-error: a start policy is one of three.
new StreamingToolExecutor({ tools: [], start: "soon" });

// @ts-expect-error: a call has input, or the text of it.
executor.add({ id: "1", name: "Read" });
