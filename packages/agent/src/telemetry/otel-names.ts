/** Attribute names: OpenTelemetry's conventions for generative AI (1.45), and our own for what they do not cover. */

export const OPERATION = "gen_ai.operation.name";
export const PROVIDER = "gen_ai.provider.name";
export const CONVERSATION_ID = "gen_ai.conversation.id";
export const AGENT_ID = "gen_ai.agent.id";
export const AGENT_NAME = "gen_ai.agent.name";
export const REQUEST_MODEL = "gen_ai.request.model";
export const REQUEST_STREAM = "gen_ai.request.stream";
export const RESPONSE_MODEL = "gen_ai.response.model";
export const FINISH_REASONS = "gen_ai.response.finish_reasons";
/** In seconds, like all times in the conventions. */
export const TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk";
export const INPUT_TOKENS = "gen_ai.usage.input_tokens";
export const OUTPUT_TOKENS = "gen_ai.usage.output_tokens";
export const CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens";
export const CACHE_WRITE_TOKENS = "gen_ai.usage.cache_creation.input_tokens";
export const TOOL_NAME = "gen_ai.tool.name";
export const TOOL_TYPE = "gen_ai.tool.type";
export const CALL_ID = "gen_ai.tool.call.id";
export const CALL_ARGUMENTS = "gen_ai.tool.call.arguments";
export const CALL_RESULT = "gen_ai.tool.call.result";
export const INPUT_MESSAGES = "gen_ai.input.messages";
export const OUTPUT_MESSAGES = "gen_ai.output.messages";
export const ERROR_TYPE = "error.type";

export const OPERATIONS = { agent: "invoke_agent", model: "chat", tool: "execute_tool" } as const;

/** The outcome of a call: `succeeded`, `failed`, `denied`, `stopped`, `not-run` or `unfinished`. */
export const OUTCOME = "runahead.call.outcome";
/** How long a call waited for other calls, for a verdict or the user, and how long it ran. */
export const CALL_TIMES = {
  queue: "runahead.call.queue_ms",
  permission: "runahead.call.permission_ms",
  run: "runahead.call.run_ms",
} as const;
export const END_REASON = "runahead.end.reason";
export const TURNS = "runahead.turns";
export const COST = "runahead.cost_usd";
export const TURN = "runahead.turn";
export const ATTEMPT = "runahead.attempt";
