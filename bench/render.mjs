/**
 * One abstract turn as the server-sent events of three model APIs: lists of `{atMs, text}` in the order of the wire.
 * Call ids carry the turn (`call_<turn>_<index>`), so that the next turn can be derived from a request.
 */

import { timeline } from "./traces.mjs";

const TEXT_DELTA_MS = 20;
const TEXT_DELTA = "some words of text ";

export const callId = (turnIndex, index) => `call_${turnIndex}_${index}`;

/** The pieces of a block with their times. The last one arrives when the block is complete. */
function pieces(block, deltaBytes) {
  const parts = block.type === "text" ? textParts(block) : slices(JSON.stringify(block.input), deltaBytes);
  const spanMs = block.toMs - block.fromMs;
  return parts.map((part, index) => ({ part, atMs: block.fromMs + (spanMs * (index + 1)) / parts.length }));
}

const textParts = ({ wireMs }) =>
  Array.from({ length: Math.ceil(wireMs / TEXT_DELTA_MS) || 1 }, () => TEXT_DELTA);

function slices(string, size) {
  const parts = [];
  for (let at = 0; at < string.length; at += size) parts.push(string.slice(at, at + size));
  return parts;
}

/** Numbers the calls, ignoring other blocks. */
function numbered(turn) {
  let calls = 0;
  const { blocks, endMs } = timeline(turn);
  return {
    endMs,
    blocks: blocks.map((block) => (block.type === "call" ? { ...block, call: calls++ } : block)),
  };
}

/** The Anthropic Messages API. */
function anthropic(turn, turnIndex, deltaBytes) {
  const out = [];
  const emit = (atMs, event) =>
    out.push({ atMs, text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` });
  const { blocks, endMs } = numbered(turn);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${turnIndex}`, type: "message", role: "assistant", model: "bench", content: [] };
  emit(turn.firstMs, {
    type: "message_start",
    message: { ...message, stop_reason: null, stop_sequence: null, usage },
  });
  for (const [index, block] of blocks.entries()) {
    const isCall = block.type === "call";
    const content_block = isCall
      ? { type: "tool_use", id: callId(turnIndex, block.call), name: block.tool, input: {} }
      : { type: "text", text: "" };
    emit(block.fromMs, { type: "content_block_start", index, content_block });
    for (const { atMs, part } of pieces(block, deltaBytes)) {
      const delta = isCall
        ? { type: "input_json_delta", partial_json: part }
        : { type: "text_delta", text: part };
      emit(atMs, { type: "content_block_delta", index, delta });
    }
    emit(block.toMs, { type: "content_block_stop", index });
  }
  const stop_reason = blocks.some((block) => block.type === "call") ? "tool_use" : "end_turn";
  emit(endMs, { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage });
  emit(endMs, { type: "message_stop" });
  return out;
}

/** The OpenAI Chat Completions API. */
function chat(turn, turnIndex, deltaBytes) {
  const out = [];
  const { blocks, endMs } = numbered(turn);
  const base = { id: `chatcmpl_${turnIndex}`, object: "chat.completion.chunk", created: 0, model: "bench" };
  const emit = (atMs, delta, finish_reason = null) => {
    const chunk = { ...base, choices: [{ index: 0, delta, finish_reason }] };
    out.push({ atMs, text: `data: ${JSON.stringify(chunk)}\n\n` });
  };
  emit(turn.firstMs, { role: "assistant", content: "" });
  for (const block of blocks) {
    const isCall = block.type === "call";
    const head = { index: block.call, id: callId(turnIndex, block.call), type: "function" };
    if (isCall)
      emit(block.fromMs, { tool_calls: [{ ...head, function: { name: block.tool, arguments: "" } }] });
    for (const { atMs, part } of pieces(block, deltaBytes)) {
      emit(
        atMs,
        isCall ? { tool_calls: [{ index: block.call, function: { arguments: part } }] } : { content: part },
      );
    }
  }
  emit(endMs, {}, blocks.some((block) => block.type === "call") ? "tool_calls" : "stop");
  out.push({ atMs: endMs, text: "data: [DONE]\n\n" });
  return out;
}

/** The OpenAI Responses API. */
function responses(turn, turnIndex, deltaBytes) {
  const out = [];
  const output = [];
  const emit = (atMs, type, fields) => {
    const event = { type, sequence_number: out.length, ...fields };
    out.push({ atMs, text: `event: ${type}\ndata: ${JSON.stringify(event)}\n\n` });
  };
  const response = { id: `resp_${turnIndex}`, object: "response", created_at: 0, model: "bench", tools: [] };
  const { blocks, endMs } = numbered(turn);
  emit(turn.firstMs, "response.created", { response: { ...response, status: "in_progress", output: [] } });
  for (const [output_index, block] of blocks.entries()) {
    const renderItem = block.type === "call" ? responseCall : responseText;
    output.push(renderItem({ block, turnIndex, output_index, deltaBytes, emit }));
  }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const details = {
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const completed = { ...response, status: "completed", output, usage: { ...usage, ...details } };
  emit(endMs, "response.completed", { response: completed });
  return out;
}

function responseCall({ block, turnIndex, output_index, deltaBytes, emit }) {
  const item_id = `fc_${turnIndex}_${block.call}`;
  const base = {
    type: "function_call",
    id: item_id,
    call_id: callId(turnIndex, block.call),
    name: block.tool,
  };
  const item = { ...base, arguments: JSON.stringify(block.input), status: "completed" };
  emit(block.fromMs, "response.output_item.added", {
    output_index,
    item: { ...base, arguments: "", status: "in_progress" },
  });
  for (const { atMs, part } of pieces(block, deltaBytes)) {
    emit(atMs, "response.function_call_arguments.delta", { item_id, output_index, delta: part });
  }
  emit(block.toMs, "response.function_call_arguments.done", {
    item_id,
    output_index,
    arguments: item.arguments,
  });
  emit(block.toMs, "response.output_item.done", { output_index, item });
  return item;
}

function responseText({ block, turnIndex, output_index, deltaBytes, emit }) {
  const item_id = `msg_${turnIndex}_${output_index}`;
  const place = { item_id, output_index, content_index: 0 };
  const base = { type: "message", id: item_id, role: "assistant" };
  const parts = pieces(block, deltaBytes);
  const part = {
    type: "output_text",
    text: parts.map((one) => one.part).join(""),
    annotations: [],
    logprobs: [],
  };
  const item = { ...base, status: "completed", content: [part] };
  emit(block.fromMs, "response.output_item.added", {
    output_index,
    item: { ...base, status: "in_progress", content: [] },
  });
  emit(block.fromMs, "response.content_part.added", { ...place, part: { ...part, text: "" } });
  for (const { atMs, part: delta } of parts) {
    emit(atMs, "response.output_text.delta", { ...place, delta, logprobs: [] });
  }
  emit(block.toMs, "response.output_text.done", { ...place, text: part.text, logprobs: [] });
  emit(block.toMs, "response.content_part.done", { ...place, part });
  emit(block.toMs, "response.output_item.done", { output_index, item });
  return item;
}

const RENDERERS = { anthropic, chat, responses };

/** Renders the bytes of a turn before the measurement, joined if they are sent at the same time. */
export function render(dialect, trace, turnIndex) {
  const groups = [];
  for (const { atMs, text } of RENDERERS[dialect](trace.turns[turnIndex], turnIndex, trace.deltaBytes)) {
    const last = groups.at(-1);
    if (last?.atMs === atMs) last.texts.push(text);
    else groups.push({ atMs, texts: [text] });
  }
  return groups.map(({ atMs, texts }) => ({ atMs, bytes: Buffer.from(texts.join("")) }));
}
