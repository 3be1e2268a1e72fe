/**
 * Answers that fit a schema. If the provider can enforce the schema, it gets it; otherwise the model calls a tool with its
 * answer. The answer is validated in either case, and an invalid one is returned to the model.
 */

import {
  type AnyTool,
  type CanUseTool,
  type InputOf,
  type JsonSchema,
  type SchemaIssue,
  type StandardSchema,
  defineTool,
  toAnthropicTools,
} from "@runahead/engine";
import { isShape, stringOf } from "@runahead/base";
import type { ModelError } from "../model/error.ts";
import type { Model } from "../model/event.ts";
import type { Block, Message, ModelRequest } from "../model/message.ts";
import { factsOf } from "../model/models.ts";
import { enforceable } from "../model/output-schema.ts";
import type { End } from "./event.ts";
import type { LoopOptions } from "./options.ts";
import { textOf } from "./text.ts";
import type { TurnResult } from "./turn.ts";

/** The schema of an answer: any Standard Schema (Zod, Valibot, ArkType), or plain JSON Schema. */
export type OutputSchema = StandardSchema | JsonSchema;

/** The type of an answer that fits the schema. */
export type OutputOf<Schema> = Schema extends { readonly "~standard": unknown } ? InputOf<Schema> : unknown;

/** The answer as data, or why there is none. */
export type StructuredOutput<Value = unknown> =
  | {
      readonly type: "valid";
      /** The answer. It fits the schema. */
      readonly value: Value;
    }
  | {
      readonly type: "invalid";
      /** What is wrong with the last answer, or why there was none. */
      readonly message: string;
    };

type Given = Pick<LoopOptions, "outputSchema" | "outputJsonSchema" | "validateJsonSchema">;
type Checked =
  | { readonly isValid: true; readonly value: unknown }
  | { readonly isValid: false; readonly words: string };

/** The name of the tool that the model calls with its answer. */
const ANSWER_TOOL = "StructuredOutput";
/** Answers after the first. */
const MOST_RETRIES = 2;
const MOST_ISSUES = 10;
/** The member that holds an answer that is not an object: the APIs want an object. */
const INSIDE = "answer";

/** What a run does after a turn: it goes on as it would, ends, or sends these words to the model first. */
export type AfterTurn =
  | { readonly type: "nothing" }
  | { readonly type: "done" }
  | { readonly type: "again"; readonly words: string };

export class StructuredAnswer {
  readonly #given: Given;
  readonly #schema: JsonSchema;
  readonly #isInside: boolean;
  readonly #enforceable: JsonSchema | undefined;
  readonly tool: AnyTool;
  /** The last answer that was valid, and what was wrong with the last one that was not. */
  #valid: { readonly value: unknown } | undefined;
  #problem: string | undefined;
  #failures = 0;
  /** Models whose server does not take a schema, such as a gateway. */
  readonly #refused = new Set<Model>();
  /** How the last request asked for the answer. */
  #isByTool = false;

  constructor(given: Given) {
    this.#given = given;
    const own = outputJsonSchema(given);
    this.#isInside = !isObjectSchema(own);
    this.#schema = this.#isInside ? inObject(own) : own;
    this.#enforceable = enforceable(this.#schema);
    this.tool = this.#answerTool();
  }

  /** Adds to a request what makes the model answer in the form of the schema. */
  ask(request: ModelRequest, model: Model): ModelRequest {
    const native = this.#nativeFor(model);
    this.#isByTool = native === undefined && request.toolChoice !== "none";
    if (native !== undefined) return { ...request, outputSchema: native };
    const asked = this.#isByTool ? WITH_TOOL : `${AS_TEXT}\n${JSON.stringify(this.#schema)}`;
    const system = request.system === "" ? asked : `${request.system}\n\n${asked}`;
    if (!this.#isByTool) return { ...request, system };
    return { ...request, system, tools: [...request.tools, ...toAnthropicTools([this.tool])] };
  }

  #nativeFor(model: Model): JsonSchema | undefined {
    const isTaken = factsOf(model).structuredOutput === true && !this.#refused.has(model);
    return isTaken ? this.#enforceable : undefined;
  }

  /**
   * Returns true if a server may have refused the schema, so that the model is asked to call the tool instead. Servers have
   * no code for it: if it was something else, the request without the schema is refused too.
   */
  isRefused({ kind }: ModelError, model: Model): boolean {
    if (kind !== "bad-request" || this.#nativeFor(model) === undefined) return false;
    this.#refused.add(model);
    return true;
  }

  /** The answer changes nothing, so no rule has to allow it. */
  permitted(judge: CanUseTool | undefined): CanUseTool | undefined {
    if (judge === undefined) return undefined;
    return (tool, input, context) =>
      tool === this.tool ? { behavior: "allow" } : judge(tool, input, context);
  }

  /** Looks for an answer in a turn. `end` is how the run would end after it. */
  async after({ content, results }: TurnResult, end: End | undefined): Promise<AfterTurn> {
    const calls = content.filter(({ type, name }) => type === "tool_use" && name === ANSWER_TOOL);
    if (calls.length > 0) return this.#afterCalls(calls, results);
    if (end?.reason !== "completed" || end.detail !== "") return { type: "nothing" };
    const answer = await this.#read(textOf(content));
    if (answer.isValid) return this.#take(answer.value);
    const how = this.#isByTool ? `Call ${ANSWER_TOOL} with your answer.` : "Answer again with only the JSON.";
    const again = `Your answer is not valid: ${answer.words} ${how}`;
    return this.#refuse(answer.words) ?? { type: "again", words: again };
  }

  async #afterCalls(calls: readonly Block[], results: TurnResult["results"]): Promise<AfterTurn> {
    const isError = (id: unknown): boolean =>
      results.find(({ tool_use_id }) => tool_use_id === id)?.is_error !== false;
    const given = calls.findLast(({ id }) => !isError(id));
    if (given !== undefined && this.#valid !== undefined) return { type: "done" };
    const checked = await this.#check((given ?? calls.at(-1))?.["input"]);
    // The call ran in an earlier process.
    if (given !== undefined && checked.isValid) return this.#take(checked.value);
    const words = checked.isValid ? "The call was not allowed or did not run." : checked.words;
    return this.#refuse(words) ?? { type: "nothing" };
  }

  /** The run goes on after an answer: the next one counts. */
  forget(): void {
    this.#valid = undefined;
  }

  /** What the run has to show for, when it ends in this way. */
  outputAt({ reason }: End): StructuredOutput {
    if (this.#valid !== undefined) return { type: "valid", value: this.#valid.value };
    return { type: "invalid", message: this.#problem ?? `The run ended without an answer (${reason}).` };
  }

  #take(value: unknown): AfterTurn {
    this.#valid = { value };
    return { type: "done" };
  }

  /** Returns the end after too many invalid answers. */
  #refuse(words: string): AfterTurn | undefined {
    this.#problem = words;
    this.#failures++;
    return this.#failures > MOST_RETRIES ? { type: "done" } : undefined;
  }

  async #read(text: string): Promise<Checked> {
    try {
      return await this.#check(JSON.parse(unfenced(text)));
    } catch (error) {
      return { isValid: false, words: `It is not JSON: ${(error as Error).message}.` };
    }
  }

  async #check(given: unknown): Promise<Checked> {
    const value = this.#isInside && isShape(given) && INSIDE in given ? given[INSIDE] : given;
    const { value: valid, issues } = await validate(this.#given, value);
    if (issues.length === 0) return { isValid: true, value: valid };
    const words = issues.slice(0, MOST_ISSUES).map(inWords).join("; ");
    return { isValid: false, words: `${words}.` };
  }

  #answerTool(): AnyTool {
    const schema: StandardSchema = {
      "~standard": {
        version: 1,
        vendor: "runahead",
        validate: (value) => {
          const inside = this.#isInside ? (isShape(value) ? value[INSIDE] : undefined) : value;
          const said = ({ issues }: Validated) => (issues.length === 0 ? { value } : { issues });
          const checked = validate(this.#given, inside);
          return checked instanceof Promise ? checked.then(said) : said(checked);
        },
      },
    };
    return defineTool({
      name: ANSWER_TOOL,
      description: "Gives your final answer to the program that asked. Call it once, when you are done.",
      inputSchema: schema,
      jsonSchema: this.#schema,
      isReadOnly: () => true,
      access: () => [],
      describe: () => "Give the answer",
      call: async (input: unknown) => {
        const checked = await this.#check(input);
        if (!checked.isValid) throw new Error(checked.words);
        this.#take(checked.value);
        return "The answer was accepted.";
      },
    });
  }
}

const WITH_TOOL = `A program reads your answer. When you are done, call ${ANSWER_TOOL} with it instead of writing it as text.`;
const AS_TEXT =
  "A program reads your last message. It must be only JSON, without other text or a code fence, and must fit this JSON Schema:";

/** Whether the last message is the accepted answer of a run, after which there is nothing to answer. */
export function isAnswered(messages: readonly Message[]): boolean {
  const [asked, last] = messages.slice(-2).map(({ content }) => (typeof content === "string" ? [] : content));
  const accepted = last?.find(({ type, is_error }) => type === "tool_result" && is_error !== true);
  return (
    asked?.some(
      ({ type, id, name }) => type === "tool_use" && name === ANSWER_TOOL && id === accepted?.["tool_use_id"],
    ) === true
  );
}

interface Validated {
  readonly value: unknown;
  readonly issues: readonly SchemaIssue[];
}

function validate(
  { outputSchema, validateJsonSchema }: Given,
  value: unknown,
): Validated | Promise<Validated> {
  if (!isStandard(outputSchema)) {
    const issues = validateJsonSchema?.(outputSchema as JsonSchema, value) ?? [];
    return { value, issues };
  }
  const result = outputSchema["~standard"].validate(value);
  return result instanceof Promise ? result.then(validated) : validated(result);

  function validated(said: Awaited<typeof result>): Validated {
    return said.issues === undefined ? { value: said.value, issues: [] } : { value, issues: said.issues };
  }
}

export function isStandard(schema: unknown): schema is StandardSchema {
  return typeof (schema as StandardSchema | undefined)?.["~standard"]?.validate === "function";
}

/** Returns the JSON Schema of the answer. Throws a TypeError if the library cannot generate it. */
export function outputJsonSchema({ outputSchema, outputJsonSchema: given }: Given): JsonSchema {
  if (given !== undefined) return given;
  if (!isStandard(outputSchema)) return outputSchema as JsonSchema;
  const tool = { name: ANSWER_TOOL, description: "", inputSchema: outputSchema, call: () => "" } as AnyTool;
  const [definition] = toAnthropicTools([tool]);
  return definition?.input_schema ?? {};
}

const OF_OBJECTS = ["properties", "additionalProperties", "patternProperties", "propertyNames"];

/** Only a schema that describes members: a definition of a tool always has the type. */
function isObjectSchema(schema: JsonSchema): boolean {
  return schema["type"] === "object" && OF_OBJECTS.some((name) => name in schema);
}

/** Definitions stay at the root, where references point. */
function inObject({ $defs, definitions, type, ...schema }: JsonSchema): JsonSchema {
  const own = type === undefined || type === "object" ? schema : { type, ...schema };
  return {
    type: "object",
    properties: { [INSIDE]: own },
    required: [INSIDE],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

function inWords({ path = [], message }: SchemaIssue): string {
  const name = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return name === "" ? message : `${name} ${message}`;
}

/** Models often put JSON into a code fence, although they are asked not to. */
function unfenced(text: string): string {
  const [, inside] = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text) ?? [];
  return stringOf(inside, text);
}
