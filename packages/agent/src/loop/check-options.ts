/** Checks options of agents and queries, also from plain JavaScript, before anything runs. */

import {
  type Check,
  aBoolean,
  aFunction,
  aNumberFromZero,
  aPositiveNumber,
  aPrompt,
  aString,
  anArray,
  anObject,
  anything,
  checkOptions,
  checkTools,
  isShape,
  oneOf,
  required,
  withOptions,
  wrong,
} from "@runahead/base";
import type { AgentOptions, SendOptions } from "./agent.ts";
import type { Budget, LoopOptions, QueryOptions } from "./options.ts";
import type { Price } from "../model/price.ts";
import { aToolChoice } from "../model/tool-choice.ts";
import type { RetryPolicy } from "./retry.ts";
import { isStandard, outputJsonSchema as jsonSchemaOf } from "./structured-output.ts";

/** A check for every member of a type: a missing one does not compile. */
type Checks<Options> = Readonly<Record<keyof Options, Check>>;

const BUDGET: Checks<Budget> = {
  tokens: aNumberFromZero,
  costUsd: aNumberFromZero,
  calls: aNumberFromZero,
  ms: aNumberFromZero,
};

export const PRICE: Checks<Price> = {
  input: required(aNumberFromZero),
  output: required(aNumberFromZero),
  cacheRead: required(aNumberFromZero),
  cacheWrite: required(aNumberFromZero),
};

const RETRY: Checks<RetryPolicy> = {
  attempts: required(aPositiveNumber),
  firstWaitMs: required(aNumberFromZero),
  longestWaitMs: required(aNumberFromZero),
  longestServerWaitMs: aNumberFromZero,
  random: required(aFunction),
};

const ENGINE_HOOKS = {
  matches: aFunction,
  preToolUse: aFunction,
  postToolUse: aFunction,
  postToolUseFailure: aFunction,
};

const tools: Check = (value, what) => checkTools(value, what.replace(/: "tools"$/, ""));

/** A model, and not its name or a model object of another library. */
const aModel: Check = (value, what) => {
  if (value === undefined) return;
  if (typeof value === "string")
    throw new TypeError(
      `${what} must be a model, got ${JSON.stringify(value)}. Use anthropic({ model: ${JSON.stringify(value)} }) or openai({ … }).`,
    );
  const { stream, doStream, name } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof doStream === "function")
    throw new TypeError(`${what} is a model of the AI SDK. Wrap it: aiSdk(model).`);
  if (typeof stream !== "function" || typeof name !== "string")
    throw wrong(what, 'a model, with "name" and "stream"', value);
};

const modelOrModels: Check = (value, what) => {
  if (!Array.isArray(value)) return aModel(value, what);
  for (const [at, model] of value.entries()) required(aModel)(model, `${what}[${at}]`);
};

/** An object that decides; a plain list of rules is not enough. */
const permissions: Check = (value, what) => {
  if (value === undefined) return;
  if (!isShape(value) || typeof value["decide"] !== "function")
    throw new TypeError(
      `${what} must be rules with a function "decide". Use createPermissionGate({ settings: … }).`,
    );
};

const hooks: Check = (value, what) => {
  anObject(value, what);
  if (isShape(value) && typeof value["engineHooks"] !== "function") checkOptions(value, ENGINE_HOOKS, what);
};

const session: Check = (value, what) => {
  anObject(value, what);
  if (isShape(value) && typeof value["journalOf"] !== "function")
    throw wrong(what, "a session, as from await sessions().create()", value);
};

/** The system prompt is not a message here, as it is in Chat Completions. */
const messages: Check = (value, what) => {
  anArray(value, what);
  for (const [at, message] of ((value ?? []) as unknown[]).entries()) {
    const role = isShape(message) ? message["role"] : undefined;
    if (role === "system" || role === "developer")
      throw new TypeError(`${what}[${at}] has the role "${role}". Pass its text as the option "system".`);
  }
};

const aSchema: Check = (value, what) => {
  if (value !== undefined && typeof value !== "function" && !isShape(value))
    throw wrong(what, "a schema: Zod, Valibot, ArkType or plain JSON Schema", value);
};

/** Finds out before anything runs that the model could not be asked for the answer. */
function checkOutput(options: LoopOptions, where: string): void {
  const { outputSchema, outputJsonSchema, validateJsonSchema } = options;
  if (outputSchema === undefined && outputJsonSchema !== undefined)
    throw new TypeError(`${where}: "outputJsonSchema" needs "outputSchema", which validates the answer.`);
  if (outputSchema === undefined) return;
  if (!isStandard(outputSchema) && validateJsonSchema === undefined)
    throw new TypeError(
      `${where}: "outputSchema" is plain JSON Schema. Pass validateJsonSchema (of @runahead/mcp) to validate the answer.`,
    );
  try {
    jsonSchemaOf(options);
  } catch (error) {
    throw new TypeError(
      `${where}: "outputSchema" cannot be converted to JSON Schema, which the model needs. Pass it as ` +
        '"outputJsonSchema": zodToJsonSchema(schema) of zod-to-json-schema for Zod 3, toJsonSchema(schema) of ' +
        "@valibot/to-json-schema for Valibot.",
      { cause: error },
    );
  }
}

const LOOP: Checks<LoopOptions> = {
  reminders: anObject,
  model: required(aModel),
  fallbackModel: modelOrModels,
  tools,
  moreTools: aFunction,
  toolChoice: aToolChoice,
  prepareTurn: aFunction,
  outputSchema: aSchema,
  outputJsonSchema: anObject,
  canUseTool: aFunction,
  ask: aFunction,
  permissions,
  around: aFunction,
  hooks,
  session,
  state: anObject,
  messages,
  system: aString,
  cwd: aString,
  maxTurns: aNumberFromZero,
  maxTokens: aPositiveNumber,
  contextTokens: aPositiveNumber,
  autoCompact: aBoolean,
  budget: withOptions(BUDGET),
  price: withOptions(PRICE),
  retry: withOptions(RETRY),
  limit: aPositiveNumber,
  start: oneOf("eager", "reads", "after"),
  journal: anObject,
  background: anObject,
  locks: anObject,
  limits: anObject,
  results: anObject,
  validateJsonSchema: aFunction,
};

const aSignal: Check = (value, what) => {
  if (value !== undefined && !(value instanceof AbortSignal)) throw wrong(what, "an AbortSignal", value);
};

const AGENT: Checks<AgentOptions> = { ...LOOP, onEvent: aFunction, waitsForBackground: aBoolean };
const maybePrompt: Check = (value, what) => {
  if (value !== undefined) aPrompt(value, what);
};

const QUERY: Checks<QueryOptions> = { ...LOOP, prompt: maybePrompt, signal: aSignal };
const SEND: Checks<SendOptions> = { interrupt: aBoolean, snapshot: aString, said: aString };

/** What newcomers and other libraries call an option, and what to write instead. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  systemPrompt: 'Use "system".',
  instructions: 'Use "system".',
  maxSteps: 'Use "maxTurns".',
  maxIterations: 'Use "maxTurns".',
  prompt: "Pass the prompt to agent.send(prompt), or use query().",
};

function rejectOtherNames(options: object, known: object, where: string): void {
  const name = Object.keys(options ?? {}).find(
    (one) => Object.hasOwn(OTHER_NAMES, one) && !Object.hasOwn(known, one),
  );
  if (name !== undefined) throw new TypeError(`${where}: unknown option "${name}". ${OTHER_NAMES[name]}`);
}

export function checkAgent(options: AgentOptions): void {
  rejectOtherNames(options, AGENT, "createAgent");
  checkOptions(options, AGENT, "createAgent");
  checkOutput(options, "createAgent");
}

export function checkQuery(options: QueryOptions): void {
  rejectOtherNames(options, QUERY, "query");
  checkOptions(options, QUERY, "query");
  checkOutput(options, "query");
  if (options.prompt === undefined && options.session === undefined && options.messages === undefined)
    throw new TypeError('query: "prompt" is required without "session" or "messages".');
}

export function checkSend(given: unknown, options: SendOptions): void {
  aPrompt(given, "agent.send: the prompt");
  checkOptions(options, SEND, "agent.send");
}

/** Checks the options that a sub-agent inherits from an agent or a query. */
export const inheritedOptions: Check = required(withOptions({ ...AGENT, prompt: anything, signal: aSignal }));

export { aModel };
