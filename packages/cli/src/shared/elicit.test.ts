import type { AskUser } from "@runahead/harness";
import { expect, test } from "vitest";
import { elicitBy } from "./elicit.ts";
import { readAnswer } from "./form-field.ts";

type Answers = Awaited<ReturnType<AskUser>>;
const { signal } = new AbortController();
const chosen = (...labels: readonly string[]): Answers => ({
  type: "answered",
  answers: [{ type: "chosen", labels }],
});

/** Answers the questions of a server one after the other, and keeps them. */
function user(...answers: readonly Answers[]) {
  const asked: string[] = [];
  const opened: string[] = [];
  const left = [...answers];
  const askUser: AskUser = (questions) => {
    asked.push(...questions.map(({ question }) => question));
    return left.shift() ?? { type: "declined", words: "" };
  };
  const pages = { canOpen: true, open: (url: string) => void opened.push(url) };
  const elicit = (params: object) => elicitBy(askUser, () => pages)(params, signal, "shop");
  return { asked, opened, elicit };
}

const form = (properties: object, required: readonly string[] = []) => ({
  message: "Hello.",
  requestedSchema: { type: "object", properties, required },
});

test("declining is an answer; Esc, the end of the turn and a required field without an answer cancel", async () => {
  const one = form({ name: { type: "string" } }, ["name"]);
  expect(await user(chosen("Decline")).elicit(one)).toEqual({ action: "decline" });
  expect(await user().elicit(one)).toEqual({ action: "cancel" });
  expect(await user(chosen("Answer")).elicit(one)).toEqual({ action: "cancel" });
  const skipped: Answers = { type: "answered", answers: [{ type: "skipped" }] };
  expect(await user(chosen("Answer"), skipped).elicit(one)).toEqual({ action: "cancel" });
  expect(await user(chosen("Answer"), skipped).elicit(form({ name: { type: "string" } }))).toEqual({
    action: "accept",
    content: {},
  });
  expect(await user(chosen("Accept")).elicit({ message: "Go on?" })).toEqual({
    action: "accept",
    content: {},
  });
});

test("only invalid answers are asked for again, with the reason", async () => {
  const { asked, elicit } = user(
    chosen("Answer"),
    {
      type: "answered",
      answers: [
        { type: "said", text: "ten" },
        { type: "chosen", labels: ["Blue"] },
      ],
    },
    { type: "answered", answers: [{ type: "said", text: "10" }] },
  );
  const colour = { type: "string", enum: ["r", "b"], enumNames: ["Red", "Blue"] };
  expect(await elicit(form({ age: { type: "number" }, colour }))).toEqual({
    action: "accept",
    content: { age: 10, colour: "b" },
  });
  expect(asked).toEqual([
    "The MCP server shop asks: Hello.\nIt wants to know: age, colour",
    "age (optional, a number)",
    "colour (optional)",
    '"ten" is not a number.\nage (optional, a number)',
  ]);
});

test("a page is opened only after the user agreed, and only in a browser", async () => {
  const page = (url: string) => ({ mode: "url", message: "Log in.", url });
  const yes = user(chosen("Open in the browser"));
  expect([await yes.elicit(page("https://a.test/x")), yes.opened]).toEqual([
    { action: "accept" },
    ["https://a.test/x"],
  ]);
  const no = user(chosen("Decline"));
  expect([await no.elicit(page("https://a.test/x")), no.opened]).toEqual([{ action: "decline" }, []]);
  const program = user(chosen("I have opened it"));
  expect([await program.elicit(page("file:///etc/passwd")), program.opened]).toEqual([
    { action: "accept" },
    [],
  ]);
});

test.each([
  [{ type: "string", minLength: 2 }, "a", '"a" is too short: at least 2 characters.'],
  [{ type: "string", maxLength: 2 }, "abc", '"abc" is too long: at most 2 characters.'],
  [{ type: "string", format: "email" }, "a.b", '"a.b" is not an email address.'],
  [{ type: "string", format: "email" }, "a@b", "a@b"],
  [{ type: "string", format: "uri" }, "b.org", '"b.org" is not an address such as https://example.org.'],
  [{ type: "string", format: "date" }, "2026-13-01", '"2026-13-01" is not a date such as 2026-01-31.'],
  [{ type: "string", format: "date-time" }, "2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"],
  [{ type: "string", pattern: "^[a-z]+$" }, "A", '"A" does not match ^[a-z]+$.'],
  [{ type: "string", pattern: "(a+)+$" }, "b", "b"],
  [{ type: "string", pattern: "(" }, "b", "b"],
  [{ type: "integer" }, "1.5", "1.5 is not a whole number."],
  [{ type: "integer" }, " 7 ", 7],
  [{ type: "number", minimum: 0 }, "-1", "-1 is too small: the smallest number is 0."],
  [{ type: "boolean" }, "YES", true],
  [{ type: "boolean" }, "perhaps", '"perhaps" is not one of the answers.'],
  [{ type: "string", oneOf: [{ const: "w", title: "Window" }] }, "window", "w"],
  [{ type: "array", items: { enum: ["a", "b"] }, minItems: 2 }, "a", "Choose at least 2."],
])("%j with the answer %j", (schema, text, wanted) => {
  const read = readAnswer({ name: "x", schema, isRequired: true }, { type: "said", text });
  expect(read.type === "invalid" ? read.why : read.type === "value" && read.value).toEqual(wanted);
});
