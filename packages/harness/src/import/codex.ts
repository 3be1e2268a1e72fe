/** Sessions of Codex: one file per session in `~/.codex/sessions/YYYY/MM/DD`. Its lines are items of the Responses API. */

import type { Block } from "@runahead/agent";
import { type Shape, isShape } from "@runahead/base";
import type { HistoryMessage } from "@runahead/engine/history";
import {
  type ForeignHistory,
  type ForeignMessage,
  type NumberedLine,
  type SkippedLine,
  readLines,
  textIn,
  titleOf,
} from "./foreign.ts";
import { codexSpending } from "./spending.ts";

const ITEMS = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
]);
const SUMMARY = "This session continues an earlier conversation. Summary of what happened before:\n\n";

export async function readCodex(path: string): Promise<ForeignHistory> {
  const { lines, skipped } = await readLines(path);
  const reader = new CodexReader(skipped);
  for (const line of lines) reader.line(line);
  const facts = lines.map(({ value }) => value);
  const { id, cwd } = codexFacts(facts);
  const title = codexTitle(facts);
  const spending = codexSpending(lines);
  return { id, cwd, title, messages: reader.messages(), skipped, notes: reader.notes(), spending };
}

/** What the first lines say about a session. */
export function codexFacts(facts: readonly Shape[]): {
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: string;
} {
  const meta = facts.find(({ type }) => type === "session_meta")?.["payload"];
  // Older versions have no wrapper around the facts.
  const first = isShape(meta) ? meta : (facts[0] ?? {});
  const context = facts.find(({ type }) => type === "turn_context")?.["payload"];
  const cwd = textIn(first["cwd"]) || textIn(isShape(context) ? context["cwd"] : undefined) || cwdIn(facts);
  return { id: textIn(first["id"]), cwd, createdAt: textIn(first["timestamp"]) };
}

/** Older versions name the folder only in a message. */
function cwdIn(facts: readonly Shape[]): string {
  for (const fact of facts) {
    const [, cwd] =
      /<cwd>([^<]+)<\/cwd>|Current working directory: (\S+)/.exec(textOf(itemOf(fact) ?? {})) ?? [];
    if (cwd !== undefined) return cwd;
  }
  return "";
}

/** The beginning of the first prompt. */
export function codexTitle(facts: readonly Shape[]): string {
  const first = facts.map((fact) => itemOf(fact) ?? {}).find(isPrompt);
  return titleOf(first === undefined ? "" : textOf(first));
}

function itemOf(value: Shape): Shape | undefined {
  const { type, payload } = value;
  if (type === "response_item") return isShape(payload) ? payload : undefined;
  return payload === undefined && ITEMS.has(textIn(type)) ? value : undefined;
}

/** The program adds messages in the name of the user; Runahead has its own. */
function isPrompt(item: Shape): boolean {
  if (item["type"] !== "message" || item["role"] !== "user") return false;
  const text = textOf(item).trimStart();
  const isAdded =
    /^<(?:environment_context|user_instructions|permissions|turn_aborted|skill|INSTRUCTIONS|collaboration_mode)\b/i.test(
      text,
    ) || text.startsWith("# AGENTS.md instructions");
  return !isAdded && (text !== "" || imagesIn(item).length > 0);
}

class CodexReader {
  readonly #skipped: SkippedLine[];
  #messages: { role: "user" | "assistant"; blocks: Block[]; isPrompt: boolean }[] = [];
  #reasoning = 0;
  #compactions = 0;

  constructor(skipped: SkippedLine[]) {
    this.#skipped = skipped;
  }

  line({ line, value }: NumberedLine): void {
    const { type, payload } = value;
    const item = itemOf(value);
    if (item !== undefined) return this.#item(item, line);
    if (type === "compacted" && isShape(payload)) return this.#compact(payload, line);
    if (type === "event_msg" && isShape(payload) && payload["type"] === "thread_rolled_back")
      return this.#rollBack(payload["num_turns"]);
    if (type === "response_item") this.#skipped.push({ line, why: "it has no item" });
  }

  messages(): ForeignMessage[] {
    return this.#messages
      .filter(({ blocks }) => blocks.length > 0)
      .map(({ role, blocks, isPrompt: isOne }) => ({
        message: { role, content: blocks } as HistoryMessage,
        isPrompt: isOne,
      }));
  }

  notes(): string[] {
    return [
      ...(this.#reasoning > 0
        ? [
            `${this.#reasoning} encrypted reasoning items were left out: only the model that wrote them can read them.`,
          ]
        : []),
      ...(this.#compactions > 0 ? ["The conversation starts with the summary of the last compaction."] : []),
    ];
  }

  #item(item: Shape, line: number): void {
    const id = callId(item["call_id"] ?? item["id"], line);
    switch (item["type"]) {
      case "message":
        return this.#message(item);
      case "reasoning":
        this.#reasoning++;
        return;
      case "function_call":
        return this.#call(id, ...functionCall(item));
      case "custom_tool_call":
        return this.#call(id, textIn(item["name"]), { input: textIn(item["input"]) });
      case "local_shell_call":
        return this.#call(id, "shell", isShape(item["action"]) ? item["action"] : {});
      case "function_call_output":
      case "custom_tool_call_output":
        return this.#add("user", [
          { type: "tool_result", tool_use_id: id, content: outputOf(item["output"]) },
        ]);
      default:
    }
  }

  #message(item: Shape): void {
    if (item["role"] === "assistant") {
      const text = textOf(item);
      return this.#add("assistant", text.trim() === "" ? [] : [{ type: "text", text }]);
    }
    if (!isPrompt(item)) return;
    const text = textOf(item);
    const blocks = [...(text.trim() === "" ? [] : [{ type: "text", text }]), ...imagesIn(item)];
    this.#messages.push({ role: "user", blocks, isPrompt: true });
  }

  #call(id: string, name: string, input: Shape): void {
    const [known, given] = asOwnTool(name, input);
    this.#add("assistant", [{ type: "tool_use", id, name: known, input: given }]);
  }

  /** Joins what belongs to one message. */
  #add(role: "user" | "assistant", blocks: readonly Block[]): void {
    const last = this.#messages.at(-1);
    if (last !== undefined && last.role === role && !last.isPrompt) last.blocks.push(...blocks);
    else this.#messages.push({ role, blocks: [...blocks], isPrompt: false });
  }

  #compact(payload: Shape, line: number): void {
    this.#compactions++;
    this.#messages = [];
    const history = payload["replacement_history"];
    if (Array.isArray(history)) for (const item of history.filter(isShape)) this.#item(item, line);
    const text = textIn(payload["message"]);
    if (text.trim() !== "" && !Array.isArray(history))
      this.#messages.push({
        role: "user",
        blocks: [{ type: "text", text: SUMMARY + text }],
        isPrompt: false,
      });
  }

  #rollBack(turns: unknown): void {
    const prompts = this.#messages.flatMap(({ isPrompt: isOne }, at) => (isOne ? [at] : []));
    const count = typeof turns === "number" && turns > 0 ? turns : 0;
    const from = count === 0 ? undefined : prompts.at(-Math.min(count, prompts.length));
    if (from !== undefined) this.#messages = this.#messages.slice(0, from);
  }
}

/** Ids of calls must have a form that the Messages API accepts. */
function callId(value: unknown, line: number): string {
  const id = textIn(value).replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return id === "" ? `call_${line}` : id;
}

function functionCall({ name, arguments: given }: Shape): [string, Shape] {
  try {
    const value: unknown = JSON.parse(textIn(given));
    if (isShape(value)) return [textIn(name), value];
  } catch {
    // The model wrote something else.
  }
  return [textIn(name), { arguments: textIn(given) }];
}

/** Shell commands are shown like those of the Bash tool. */
function asOwnTool(name: string, input: Shape): [string, Shape] {
  const isShell = ["shell", "shell_command", "exec_command", "container.exec"].includes(name);
  const command = commandOf(input["command"] ?? input["cmd"]);
  if (isShell && command !== "") return ["Bash", { command }];
  const known = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  return [known === "" ? "unknown" : known, input];
}

function commandOf(value: unknown): string {
  if (typeof value === "string") return value;
  const words = Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
  const [program = "", flag = "", script = ""] = words;
  const isScript = words.length === 3 && /(?:^|\/)(?:ba|z)?sh$/.test(program) && /^-l?c$/.test(flag);
  return isScript ? script : words.join(" ");
}

function outputOf(value: unknown): string | Block[] {
  if (typeof value === "string") return shellOutput(value);
  if (Array.isArray(value)) return value.filter(isShape).flatMap(contentBlock);
  if (isShape(value)) return outputOf(value["content_items"] ?? value["content"] ?? JSON.stringify(value));
  return "";
}

/** Shell commands return their output in JSON. */
function shellOutput(text: string): string {
  if (!text.startsWith('{"output":')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isShape(value) && typeof value["output"] === "string" ? value["output"] : text;
  } catch {
    return text;
  }
}

function contentBlock(part: Shape): Block[] {
  if (typeof part["text"] === "string") return [{ type: "text", text: part["text"] }];
  return imageBlock(part["image_url"]);
}

function textOf({ content }: Shape): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content.filter(isShape) : [];
  return parts
    .map((part) => textIn(part["text"]))
    .filter((text) => text !== "")
    .join("\n");
}

function imagesIn({ content }: Shape): Block[] {
  const parts = Array.isArray(content) ? content.filter(isShape) : [];
  return parts.flatMap((part) => imageBlock(part["image_url"]));
}

function imageBlock(url: unknown): Block[] {
  const [, media_type, data] = /^data:(image\/\w+);base64,(.+)$/s.exec(textIn(url)) ?? [];
  if (media_type !== undefined && data !== undefined)
    return [{ type: "image", source: { type: "base64", media_type, data } }];
  return /^https?:/.test(textIn(url)) ? [{ type: "image", source: { type: "url", url: textIn(url) } }] : [];
}
