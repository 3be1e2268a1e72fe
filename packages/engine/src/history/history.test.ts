import { expect, test } from "vitest";
import { answer, ask, assistant, use, user, words } from "../../test/support/history.ts";
import { checkHistory, type HistoryMessage } from "./history.ts";

const server = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
const served = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] };

const kinds = (...messages: HistoryMessage[]): string[] =>
  checkHistory(messages).map((problem) => problem.kind);

test("V1: a history that the API accepts has no problems", () => {
  expect(kinds()).toEqual([]);
  expect(
    kinds(
      ask,
      ask,
      assistant(words("I look."), use("a"), use("b"), words("There.")),
      user(answer("a"), answer("b", []), words("and?")),
      user(words("more")),
      assistant(words("x")),
      assistant(server, served, use("c")),
      user(answer("c"), words("y")),
      assistant(),
    ),
  ).toEqual([]);
  expect(kinds(ask, { role: "assistant", content: "" })).toEqual([]);
});

test("A problem says what is wrong, where, and for which call", () => {
  expect(checkHistory([ask, assistant(use("a"))])).toEqual([
    {
      kind: "missing-result",
      messageIndex: 1,
      callId: "a",
      message: "call a has no result in the next message",
    },
  ]);
});

const broken: [kind: string, messages: HistoryMessage[]][] = [
  ["first-message", [{ role: "assistant", content: "hi" }]],
  ["missing-result", [ask, assistant(use("a")), ask]],
  ["missing-result", [ask, assistant(use("a")), assistant(words("x"))]],
  ["missing-result", [ask, assistant(use("a"), use("b")), user(answer("b"))]],
  ["orphan-result", [user(answer("a"))]],
  ["orphan-result", [ask, assistant(use("a")), user(answer("a")), user(answer("a"))]],
  ["orphan-result", [ask, assistant(answer("a"))]],
  ["duplicate-result", [ask, assistant(use("a")), user(answer("a"), answer("a"))]],
  ["result-order", [ask, assistant(use("a"), use("b")), user(answer("b"), answer("a"))]],
  ["result-order", [ask, assistant(use("a")), user(words("x"), answer("a"))]],
  ["misplaced-call", [user(use("a"))]],
  ["call-input", [ask, assistant(use("a", "{}")), user(answer("a"))]],
  ["call-input", [ask, assistant(use("a", [])), user(answer("a"))]],
  ["empty-text", [ask, assistant(words(" \n"))]],
  ["empty-text", [ask, assistant(use("a")), user(answer("a", [words("")]))]],
  ["empty-message", [ask, { role: "user", content: " " }]],
  ["empty-message", [ask, assistant(), ask]],
  ["ill-formed-text", [{ role: "user", content: "\ud83d" }]],
  ["ill-formed-text", [ask, assistant(use("a", { deep: [{ "\udc00": 1 }] })), user(answer("a"))]],
  ["ill-formed-text", [ask, assistant(use("a")), user(answer("a", "x\ud83d"))]],
];
test.each(broken)("V1, V8: %s is found in %j", (kind, messages) => {
  expect(kinds(...messages)).toEqual([kind]);
});

test("B05: two calls with the same id in a message are found", () => {
  expect(kinds(ask, assistant(use("a"), use("a")), user(answer("a")))).toEqual(["call-id"]);
});

test("B06: an id that was used fifty turns ago is found", () => {
  const turns = Array.from({ length: 50 }, (_, at) => [
    assistant(use(`id${at}`)),
    user(answer(`id${at}`)),
  ]).flat();
  expect(checkHistory([ask, ...turns, assistant(use("id0")), user(answer("id0"))])).toEqual([
    { kind: "call-id", messageIndex: 101, callId: "id0", message: 'the call id "id0" is not unique' },
  ]);
});

test("B10: only results can follow an unfinished server tool", () => {
  expect(kinds(ask, assistant(server, use("a")), user(answer("a")))).toEqual([]);
  expect(kinds(ask, assistant(server, use("a")), user(answer("a"), words("x")))).toEqual([
    "not-only-results",
  ]);
  expect(kinds(ask, assistant(server), user(words("x")))).toEqual([]);
});

test("B15: the content of thinking blocks is not checked", () => {
  const thinking = { type: "thinking", thinking: "\ud83d", signature: "s" };
  expect(kinds(ask, assistant(thinking, { type: "redacted_thinking", data: "" }))).toEqual([]);
});
