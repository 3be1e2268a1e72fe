/** What servers of the Responses API send, each in its own form, against what the official SDK makes of it. */

import { expect, test } from "vitest";
import { agreed, begun, created, item, items, message, part, read, lines, said } from "./events.ts";

const event = (type: string, more: object) => ({ type: `response.${type}`, ...more });
const over = (output: readonly object[], more: object = {}) =>
  event("completed", {
    response: {
      id: "r",
      status: "completed",
      output,
      usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 5 },
      ...more,
    },
  });
const incomplete = (reason: string, output: readonly object[]) => ({
  ...over(output, { status: "incomplete", incomplete_details: { reason } }),
  type: "response.incomplete",
});
const spoken = (index: number, id: string, text: string, more: object = {}) => {
  const whole = message(id, text, more);
  return [
    item("added", index, begun(whole)),
    part(index),
    said(index, text.slice(0, 2)),
    said(index, text.slice(2)),
    event("output_text.done", { output_index: index, content_index: 0, text }),
    item("done", index, whole),
  ];
};
const call = (id: string, text: string, more: object = {}) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "Read",
  arguments: text,
  status: "completed",
  ...more,
});
const calling = (index: number, id: string, text: string, more: object = {}) => [
  item("added", index, call(id, "", { ...more, status: "in_progress" })),
  event("function_call_arguments.delta", { output_index: index, item_id: `fc_${id}`, delta: text }),
  event("function_call_arguments.done", { output_index: index, item_id: `fc_${id}`, arguments: text }),
  item("done", index, call(id, text, more)),
];
/** An item that the provider has worked on itself, with the events between its beginning and its end. */
const worked = (index: number, whole: object, between: readonly object[] = []) => [
  item("added", index, { ...whole, status: "in_progress" }),
  ...between.map((each) => ({ output_index: index, ...each })),
  item("done", index, whole),
];

const hi = message("m", "Hi.");
const reasoning = {
  type: "reasoning",
  id: "rs",
  summary: [
    { type: "summary_text", text: "A" },
    { type: "summary_text", text: "B" },
  ],
  encrypted_content: "ENC",
};
const rawReasoning = {
  type: "reasoning",
  id: "rs",
  summary: [],
  content: [{ type: "reasoning_text", text: "Hm" }],
  encrypted_content: null,
};
const shell = {
  type: "shell_call",
  id: "sh",
  call_id: "c",
  status: "completed",
  action: { commands: ["ls"], max_output_length: 100 },
  environment: { type: "container_reference", container_id: "x" },
};
const shellOutput = {
  type: "shell_call_output",
  id: "o",
  call_id: "c",
  status: "completed",
  output: [{ stdout: "x", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
};
const patch = {
  type: "apply_patch_call",
  id: "p",
  call_id: "c",
  status: "completed",
  operation: { type: "create_file", path: "a", diff: "+x" },
};
const done = (type: string, more: object) => ({ id: type, type, status: "completed", ...more });
const code = done("code_interpreter_call", {
  code: "1",
  container_id: "c",
  outputs: [{ type: "logs", logs: "1" }],
});
const custom = done("custom_tool_call", { call_id: "c", name: "x_search", input: '{"q":1}' });
const listed = {
  type: "mcp_list_tools",
  id: "l",
  server_label: "s",
  tools: [{ name: "t", input_schema: {} }],
};
const mcp = done("mcp_call", { arguments: "{}", error: null, name: "t", output: "x", server_label: "s" });
const approval = { type: "mcp_approval_request", id: "a", arguments: "{}", name: "t", server_label: "s" };
const localShell = done("local_shell_call", {
  call_id: "c",
  action: { type: "exec", command: ["ls"], env: {} },
});
const computer = done("computer_call", { call_id: "c", action: { type: "click", x: 1, y: 2 } });
const image = done("image_generation_call", { result: "AAAA", output_format: "png", revised_prompt: "x" });
const files = done("file_search_call", { queries: ["x"], results: null });
const compaction = { type: "compaction", id: "k", encrypted_content: "ENC", created_by: null };
const searchCall = done("tool_search_call", {
  execution: "server",
  call_id: null,
  arguments: { paths: ["x"] },
});
const searchOutput = done("tool_search_output", { execution: "server", call_id: null, tools: [] });
const program = done("program", { call_id: "c", code: "await Read()", fingerprint: "FP" });
const ofProgram = { caller: { type: "program", caller_id: "c" } };

interface Form {
  readonly events: readonly object[];
  readonly output: readonly object[];
  readonly thinking?: string;
  readonly calls?: number;
}

const FORMS: Readonly<Record<string, Form>> = {
  "reasoning in two parts, a commentary and two calls": {
    events: [
      item("added", 0, { ...reasoning, summary: [] }),
      ...["A", "B"].flatMap((delta, summary_index) => [
        event("reasoning_summary_part.added", {
          output_index: 0,
          summary_index,
          part: { type: "summary_text", text: "" },
        }),
        event("reasoning_summary_text.delta", { output_index: 0, summary_index, delta }),
        event("reasoning_summary_text.done", { output_index: 0, summary_index, text: delta }),
      ]),
      item("done", 0, reasoning),
      ...spoken(1, "m", "Hi.", { phase: "commentary" }),
      ...calling(2, "a", '{"n":1}'),
      ...calling(3, "b", "{}"),
    ],
    output: [reasoning, message("m", "Hi.", { phase: "commentary" }), call("a", '{"n":1}'), call("b", "{}")],
    thinking: "AB",
    calls: 2,
  },
  "code interpreter": {
    events: [
      ...worked(0, code, [
        event("code_interpreter_call_code.delta", { item_id: "c", delta: "1" }),
        event("code_interpreter_call_code.done", { item_id: "c", code: "1" }),
        event("code_interpreter_call.completed", { item_id: "c" }),
      ]),
      ...spoken(1, "m", "Hi."),
    ],
    output: [code, hi],
  },
  "xAI: tools of the server are custom calls": {
    events: [
      ...worked(0, custom, [
        event("custom_tool_call_input.delta", { item_id: "c", delta: '{"q":1}' }),
        event("custom_tool_call_input.done", { item_id: "c", input: '{"q":1}' }),
      ]),
      ...spoken(1, "m", "Hi."),
    ],
    output: [custom, hi],
  },
  "MCP: tools, a call and a question": {
    events: [
      ...worked(0, listed, [event("mcp_list_tools.completed", { item_id: "l" })]),
      ...worked(1, mcp, [event("mcp_call_arguments.done", { item_id: "mcp_call", arguments: "{}" })]),
      ...worked(2, approval),
    ],
    output: [listed, mcp, approval],
  },
  "shell: the provider runs it": {
    events: [
      ...worked(0, shell, [event("shell_call_command.done", { command_index: 0, command: "ls" })]),
      ...worked(1, shellOutput),
      ...spoken(2, "m", "Hi."),
    ],
    output: [shell, shellOutput, hi],
  },
  "patches, shells and computers of the program": {
    events: [
      ...worked(0, patch, [event("apply_patch_call_operation_diff.delta", { item_id: "p", delta: "+x" })]),
      ...worked(1, localShell),
      ...worked(2, computer),
    ],
    output: [patch, localShell, computer],
  },
  "images, with their first versions": {
    events: [
      ...worked(0, image, [
        event("image_generation_call.partial_image", { item_id: "i", partial_image_b64: "AA" }),
        event("image_generation_call.completed", { item_id: "i" }),
      ]),
      ...spoken(1, "m", "Hi."),
    ],
    output: [image, hi],
  },
  "file search": {
    events: [...worked(0, files, [event("file_search_call.completed", {})]), ...spoken(1, "m", "Hi.")],
    output: [files, hi],
  },
  "a compaction before the answer": {
    events: [...worked(0, compaction), ...spoken(1, "m", "Hi.")],
    output: [compaction, hi],
  },
  "tool search of the server, and a call in a namespace": {
    events: [
      ...worked(0, searchCall),
      ...worked(1, searchOutput),
      ...calling(2, "a", '{"n":1}', { namespace: "files" }),
    ],
    output: [searchCall, searchOutput, call("a", '{"n":1}', { namespace: "files" })],
    calls: 1,
  },
  "a program that calls": {
    events: [...worked(0, program), ...calling(1, "a", '{"n":1}', ofProgram)],
    output: [program, call("a", '{"n":1}', ofProgram)],
    calls: 1,
  },
  "raw reasoning, under the names of vLLM and of Open Responses": {
    events: [
      item("added", 0, { type: "reasoning", id: "rs", summary: [] }),
      event("reasoning_part.added", { output_index: 0, part: { type: "reasoning_text", text: "" } }),
      event("reasoning.delta", { output_index: 0, delta: "Hm" }),
      event("reasoning.done", { output_index: 0, text: "Hm" }),
      item("done", 0, rawReasoning),
      ...spoken(1, "m", "Hi."),
    ],
    output: [rawReasoning, hi],
    thinking: "Hm",
  },
};

test.each(Object.entries(FORMS))("%s", async (_name, { events, output, thinking = "", calls = 0 }) => {
  const opening = [created, event("in_progress", { response: created.response })];
  const heard = await agreed("responses", [...opening, ...events, over(output)]);
  expect(heard).toMatchObject({ error: undefined, thinking, usage: { inputTokens: 6, cacheReadTokens: 4 } });
  expect(heard.calls).toHaveLength(calls);
  const sent = items(heard).slice(0, output.length);
  const withoutStatus = output.map((given) => {
    const { status, ...rest } = given as { status?: string; type?: string };
    return rest.type === "function_call" || status === undefined ? rest : given;
  });
  expect(sent).toEqual(withoutStatus);
});

test("a response in the background waits in a queue first", async () => {
  const queued = { ...created.response, status: "queued", background: true };
  const heard = await agreed("responses", [
    { ...created, response: queued },
    event("queued", { response: queued }),
    event("in_progress", { response: created.response }),
    ...spoken(0, "m", "Hi."),
    over([hi], { background: true }),
  ]);
  expect(heard).toMatchObject({ text: "Hi.", stop: "end_turn", error: undefined });
});

test("a limit or a filter cuts a response off: a call that was cut off does not count", async () => {
  const cut = call("a", '{"n":', { status: "incomplete" });
  const limited = await agreed("responses", [
    created,
    ...spoken(0, "m", "Hi."),
    ...calling(1, "a", '{"n":').slice(0, 2),
    item("done", 1, cut),
    incomplete("max_output_tokens", [hi, cut]),
  ]);
  expect(limited).toMatchObject({ text: "Hi.", stop: "max_tokens", calls: [] });
  expect(items(limited)).toEqual([hi]);
  const filtered = await agreed("responses", [
    created,
    ...spoken(0, "m", "Hi.").slice(0, 4),
    incomplete("content_filter", [{ ...hi, status: "incomplete" }]),
  ]);
  expect(filtered).toMatchObject({ text: "Hi.", stop: "refusal" });
});

test("members of a call that come only with its end go back with it, also after the next item", async () => {
  const late = call("a", '{"n":1}', { id: "fc_new", caller: { type: "program", caller_id: "p" } });
  const first = calling(0, "a", '{"n":1}').slice(0, 3);
  const second = spoken(1, "m", "Hi.");
  const end = item("done", 0, late);
  for (const events of [
    [...first, end, ...second],
    [...first, ...second, end],
  ]) {
    const heard = await agreed("responses", [created, ...events, over([late, hi])]);
    expect(heard.calls).toEqual([{ id: "a", name: "Read", input: { n: 1 } }]);
    const { status: _status, ...sent } = late;
    expect(items(heard).slice(0, 2)).toEqual([sent, hi]);
  }
});

test("a call whose end does not come is in the history, also of a response that breaks off", async () => {
  const events = [created, ...calling(0, "a", '{"n":1}').slice(0, 3)];
  for (const text of [lines(events), `${lines(events)}data: [DONE]\n\n`]) {
    const heard = await read("responses", text);
    expect(heard.calls).toHaveLength(1);
    expect(heard.blocks).toMatchObject([{ type: "tool_use", id: "a" }]);
  }
});

test("GitHub Copilot: another id in every event of an item", async () => {
  const ids = (events: readonly object[]) =>
    events.map((given, at) => {
      const { item: inner, ...rest } = given as { item?: object };
      return {
        ...rest,
        item_id: `id${at}`,
        ...(inner === undefined ? {} : { item: { ...inner, id: `id${at}` } }),
      };
    });
  const heard = await agreed("responses", [
    created,
    ...ids(spoken(0, "m", "Hi.")),
    ...ids(calling(1, "a", '{"n":1}')),
    over([message("last", "Hi."), call("a", '{"n":1}', { id: "last" })]),
  ]);
  expect(heard).toMatchObject({ text: "Hi.", calls: [{ id: "a" }], stop: "tool_use" });
  expect(heard.blocks).toHaveLength(2);
});

test("gateways without ids of items and without counts", async () => {
  const bare = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] };
  const heard = await agreed("responses", [
    { type: "response.created", response: { id: "r" } },
    item("added", 0, { ...bare, content: [] }),
    said(0, "Hi."),
    item("done", 0, bare),
    { type: "response.completed", response: { id: "r", status: "completed", output: [bare] } },
  ]);
  expect(heard).toMatchObject({ text: "Hi.", stop: "end_turn", error: undefined });
});
