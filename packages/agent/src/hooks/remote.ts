/** Runs hooks that are not processes: a web address, a model, a sub-agent, a tool of an MCP server. */

import { type Shape, isShape, messageOf } from "@runahead/base";
import type { HookEnding } from "./ending.ts";
import type { HttpHandler, McpToolHandler, ModelHandler } from "./handler.ts";

/** A question of a hook to a model. */
export interface HookQuestion {
  /** The prompt of the hook, with the event filled in. */
  readonly prompt: string;
  /** `agent`: a sub-agent that can read files looks for the answer. */
  readonly type: "prompt" | "agent";
  /** The model that the hook names, if any. */
  readonly model: string | undefined;
}

/** A call of a hook to a tool of an MCP server. */
export interface HookToolCall {
  /** The name of the server. */
  readonly server: string;
  /** The name of the tool, as the server lists it. */
  readonly tool: string;
  /** Its input, with the event filled in. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** What hooks of these types need from the program. Without it, they fail. */
export interface HookHelpers {
  /** Asks a model. Resolves with its text. Default: hooks of the types `prompt` and `agent` fail. */
  readonly askModel?: (question: HookQuestion, signal: AbortSignal) => Promise<string>;
  /** Calls a tool of an MCP server. Resolves with its text. Default: hooks of the type `mcp_tool` fail. */
  readonly callMcpTool?: (call: HookToolCall, signal: AbortSignal) => Promise<string>;
}

export interface RemoteStart {
  /** The event, as JSON. */
  readonly input: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const KEPT_CHARS = 1_000_000;
const SHOWN_CHARS = 300;

/** The answer of a server with a status of 2xx is read like the output of a command that exits with 0. */
export function runHttp(handler: HttpHandler, start: RemoteStart): Promise<HookEnding> {
  return limited(start, async (signal) => {
    const headers = { "content-type": "application/json", ...headersOf(handler, start.environment) };
    const response = await fetch(handler.url, {
      method: "POST",
      headers,
      body: start.input,
      signal,
      redirect: "error",
    });
    const text = (await response.text()).slice(0, KEPT_CHARS);
    if (!response.ok)
      return failed(`it answered with HTTP ${response.status}: ${text.slice(0, SHOWN_CHARS)}`);
    return { type: "exited", code: 0, stdout: text, stderr: "", isCut: text.length === KEPT_CHARS };
  });
}

/** Only variables that the hook names are filled in, so that a header cannot send others. */
function headersOf(
  { headers, variables }: HttpHandler,
  environment: RemoteStart["environment"],
): Record<string, string> {
  const fill = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}|\$(\w+)/g, (_, braced?: string, plain?: string) => {
      const name = braced ?? plain ?? "";
      return variables.includes(name) ? (environment[name] ?? "") : "";
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
}

const HOW_TO_ANSWER =
  'Answer with only JSON: {"ok": true} if the condition is met and it can go on, or {"ok": false, "reason": "…"} if not.';

export function runModel(
  handler: ModelHandler,
  start: RemoteStart,
  helpers: HookHelpers,
): Promise<HookEnding> {
  const { type, model } = handler;
  const { askModel } = helpers;
  if (askModel === undefined) return Promise.resolve(failed("no model is available to hooks"));
  const { input } = start;
  const asked = handler.prompt.includes("$ARGUMENTS")
    ? handler.prompt.replaceAll("$ARGUMENTS", () => input)
    : `${handler.prompt}\n\n${input}`;
  const prompt = `${asked}\n\n${HOW_TO_ANSWER}`;
  return limited(start, async (signal) => readModel(await askModel({ prompt, type, model }, signal)));
}

/** Reads `{"ok": …, "reason": …}`, which models often put into a code fence or after other text. */
function readModel(text: string): HookEnding {
  const [json = ""] = /\{[\s\S]*\}/.exec(text) ?? [];
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return failed(`the model answered without JSON: ${text.slice(0, SHOWN_CHARS)}`);
  }
  if (!isShape(value) || typeof value["ok"] !== "boolean")
    return failed(`the answer of the model has no "ok": ${json.slice(0, SHOWN_CHARS)}`);
  if (value["ok"]) return { type: "returned", value: undefined };
  const { reason } = value;
  return {
    type: "returned",
    value: { decision: "block", reason: typeof reason === "string" ? reason : "" },
  };
}

export function runMcpTool(
  { server, tool, input }: McpToolHandler,
  start: RemoteStart,
  { callMcpTool }: HookHelpers,
): Promise<HookEnding> {
  if (callMcpTool === undefined) return Promise.resolve(failed("no MCP servers are available to hooks"));
  const event = JSON.parse(start.input) as Shape;
  const call = { server, tool, input: filled(input, event) as Shape };
  return limited(start, async (signal) => {
    const stdout = await callMcpTool(call, signal);
    return { type: "exited", code: 0, stdout, stderr: "", isCut: false };
  });
}

/** Fills in `${tool_input.file_path}` and other members of the event. */
function filled(value: unknown, event: Shape): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, event));
  if (isShape(value))
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, filled(held, event)]));
  if (typeof value !== "string") return value;
  return value.replaceAll(/\$\{([\w.]+)\}/g, (_, path: string) => {
    const found = path
      .split(".")
      .reduce<unknown>(
        (from, key) => (isShape(from) && Object.hasOwn(from, key) ? from[key] : undefined),
        event,
      );
    return found === undefined ? "" : typeof found === "string" ? found : JSON.stringify(found);
  });
}

function failed(message: string): HookEnding {
  return { type: "failed", message };
}

/** Ends the work at its limit, even if it does not react to the signal. */
async function limited(
  { limitMs, signal }: RemoteStart,
  work: (signal: AbortSignal) => Promise<HookEnding>,
): Promise<HookEnding> {
  if (signal.aborted) return { type: "cancelled" };
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let cancel = (): void => {};
  const stopped = new Promise<HookEnding>((resolve) => {
    timer = setTimeout(
      () => resolve({ type: "timed-out", limitMs, stdout: "", stderr: "", isCut: false }),
      Math.min(limitMs, LONGEST_TIMER_MS),
    );
    cancel = () => resolve({ type: "cancelled" });
    signal.addEventListener("abort", cancel, { once: true });
  });
  const done = work(stopping.signal).catch((error: unknown) => failed(whyOf(error)));
  try {
    return await Promise.race([done, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    stopping.abort();
  }
}

const LONGEST_TIMER_MS = 2_147_483_647;

/** The cause says more than "fetch failed". */
function whyOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}
