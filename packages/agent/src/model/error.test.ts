import { expect, test } from "vitest";
import { errorOfStatus, errorOfType } from "./error.ts";

const anthropic = (message: string): string =>
  JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
const openai = (message: string, code: string | null = null): string =>
  JSON.stringify({ error: { message, type: "invalid_request_error", param: "messages", code } });

test("B12: a conversation that is too long has its own kind, and the message quotes the server", () => {
  for (const body of [
    anthropic("prompt is too long: 210482 tokens > 200000 maximum"),
    anthropic("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 129000 tokens.",
    ),
    openai("Too long.", "context_length_exceeded"),
    openai("Your input exceeds the context window of this model. Please adjust your input and try again."),
    openai("the request exceeds the available context size, try increasing it"),
  ]) {
    const { message } = (JSON.parse(body) as { error: { message: string } }).error;
    const error = errorOfStatus({ status: 400, text: body, retryAfter: null });
    expect(error.message).toContain(`Server message: ${message}`);
    expect(error).toMatchObject({
      kind: "context-overflow",
      message: expect.stringMatching(/^The conversation is too long for the model \(400\)\./) as string,
      isRetryable: false,
    });
  }
  expect(
    errorOfStatus({ status: 413, text: anthropic("Request exceeds the maximum size"), retryAfter: null })
      .kind,
  ).toBe("context-overflow");
});

test("G10: a rejected history has its own kind, so that it can be repaired once", () => {
  for (const body of [
    anthropic(
      "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
    ),
    anthropic("messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9"),
    anthropic("messages: `tool_use` ids must be unique"),
    anthropic("messages.1.content.0: Invalid `signature` in `thinking` block"),
    anthropic("`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified"),
    anthropic("messages: text content blocks must be non-empty"),
    anthropic("Could not process image"),
    anthropic("The request body is not valid JSON: no low surrogate in string: line 1 column 1203"),
    openai(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ),
    openai(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    ),
    openai("No tool output found for function call call_abc."),
    openai("No tool call found for function call output with call_id call_abc."),
    openai("Item 'rs_1' of type 'reasoning' was provided without its required following item."),
  ])
    expect([body, errorOfStatus({ status: 400, text: body, retryAfter: null }).kind]).toEqual([
      body,
      "bad-history",
    ]);
  expect(
    errorOfStatus({ status: 400, text: anthropic("Could not process image"), retryAfter: null }).isRetryable,
  ).toBe(false);
});

test("errors about options and tool definitions are bad requests", () => {
  for (const body of [
    anthropic("max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens"),
    anthropic("tools.0.custom.input_schema: JSON schema is invalid"),
    anthropic("tool_choice.tool: Tool 'x' not found in provided tools"),
    anthropic("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"),
    openai("Invalid schema for function 'Read': None is not of type 'object'."),
    openai("Unsupported parameter: 'max_tokens' is not supported with this model."),
    "not JSON",
    "",
  ])
    expect([body, errorOfStatus({ status: 400, text: body, retryAfter: null }).kind]).toEqual([
      body,
      "bad-request",
    ]);
});

test("the same error inside a stream has the same kind", () => {
  expect(errorOfType({ type: "invalid_request_error", message: "prompt is too long: 2 > 1" }).kind).toBe(
    "context-overflow",
  );
  expect(errorOfType({ type: "context_length_exceeded", message: "too long" }).kind).toBe("context-overflow");
  expect(errorOfType({ type: "invalid_request_error", message: "Could not process image" }).kind).toBe(
    "bad-history",
  );
  expect(errorOfType({ type: "invalid_request_error", message: "no" }).kind).toBe("bad-request");
  expect(errorOfType({ type: "api_error", message: "tool_use ids" }).kind).toBe("server");
  expect(errorOfStatus({ status: 500, text: anthropic("prompt is too long"), retryAfter: null }).kind).toBe(
    "server",
  );
});

test("a body that says nothing is not quoted", () => {
  for (const text of ["{}", "[]", "null", '""', ""]) {
    const { message } = errorOfStatus({ status: 500, text, retryAfter: null });
    expect([text, message.includes("Server message")]).toEqual([text, false]);
  }
  const odd = errorOfStatus({ status: 500, text: '{"reason":"gone"}', retryAfter: null });
  expect(odd.message).toContain('Server message: {"reason":"gone"}');
});
