/**
 * Writes a tiny model in the GGUF format, for a real llama.cpp server that needs no download. The next byte depends only
 * on the last one: mostly the model begins calls, and what a call contains is left to chance and to the server's grammar.
 */

const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
const F32_TENSOR = 0;
const ALIGNMENT = 32;
const VERSION = 3;

/** At least one for each token: the embedding of a token has a one at its own place. */
const EMBEDDING = 264;
const FEED_FORWARD = 32;
const HEADS = 2;

type Value =
  | { readonly type: "u32" | "f32"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string }
  | {
      readonly type: "array";
      readonly of: "i32" | "f32" | "string";
      readonly value: readonly (number | string)[];
    };

interface Tensor {
  readonly name: string;
  readonly dimensions: readonly number[];
}

/** Each byte is a token, so that any text can be read and written. */
const TOKENS = ["<unk>", "<s>", "</s>", ...Array.from({ length: 256 }, (_, byte) => `<0x${hex(byte)}>`)];
const NORMAL = { unknown: 2, control: 3, byte: 6 } as const;

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}

/** Shows tools and calls in the form that many models use, from which the server derives its grammar. */
const TEMPLATE = [
  "{%- if tools %}<|im_start|>system\n<tools>{% for tool in tools %}{{ tool | tojson }}{% endfor %}</tools><|im_end|>\n{% endif %}",
  "{%- for message in messages %}",
  "{%- if message.role == 'tool' %}<|im_start|>user\n<tool_response>\n{{ message.content }}\n</tool_response><|im_end|>\n",
  "{%- else %}<|im_start|>{{ message.role }}\n{% if message.content %}{{ message.content }}{% endif %}",
  "{%- for call in message.tool_calls or [] %}\n<tool_call>\n",
  '{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}\n</tool_call>{% endfor %}<|im_end|>\n',
  "{%- endif %}{% endfor %}",
  "{%- if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
].join("");

/** Returns the bytes of the model file. */
export function tinyModel(contextTokens: number): Buffer {
  const tensors = tensorsOf(TOKENS.length);
  const infos = new Bytes();
  let offset = 0;
  for (const { name, dimensions } of tensors) {
    infos.string(name).u32(dimensions.length);
    for (const dimension of dimensions) infos.u64(dimension);
    infos.u32(F32_TENSOR).u64(offset);
    offset += aligned(4 * sizeOf(dimensions));
  }
  const values = Object.entries(valuesOf(contextTokens));
  const head = new Bytes().raw(Buffer.from("GGUF")).u32(VERSION).u64(tensors.length).u64(values.length);
  for (const [key, value] of values) head.string(key).value(value);
  const before = Buffer.concat([head.buffer, infos.buffer]);
  return Buffer.concat([padded(before), ...tensors.map(weightsOf)]);
}

function tensorsOf(vocabulary: number): Tensor[] {
  const square = [EMBEDDING, EMBEDDING];
  const wide = [EMBEDDING, FEED_FORWARD];
  return [
    { name: "token_embd.weight", dimensions: [EMBEDDING, vocabulary] },
    { name: "output_norm.weight", dimensions: [EMBEDDING] },
    { name: "output.weight", dimensions: [EMBEDDING, vocabulary] },
    { name: "blk.0.attn_norm.weight", dimensions: [EMBEDDING] },
    ...["q", "k", "v", "output"].map((part) => ({ name: `blk.0.attn_${part}.weight`, dimensions: square })),
    { name: "blk.0.ffn_norm.weight", dimensions: [EMBEDDING] },
    { name: "blk.0.ffn_gate.weight", dimensions: wide },
    { name: "blk.0.ffn_up.weight", dimensions: wide },
    { name: "blk.0.ffn_down.weight", dimensions: [FEED_FORWARD, EMBEDDING] },
  ];
}

function valuesOf(contextTokens: number): Readonly<Record<string, Value>> {
  const u32 = (value: number): Value => ({ type: "u32", value });
  const types = TOKENS.map((_, at) => (at === 0 ? NORMAL.unknown : at < 3 ? NORMAL.control : NORMAL.byte));
  return {
    "general.architecture": { type: "string", value: "llama" },
    "general.name": { type: "string", value: "random" },
    "general.file_type": u32(0),
    "llama.context_length": u32(contextTokens),
    "llama.embedding_length": u32(EMBEDDING),
    "llama.block_count": u32(1),
    "llama.feed_forward_length": u32(FEED_FORWARD),
    "llama.attention.head_count": u32(HEADS),
    "llama.attention.head_count_kv": u32(HEADS),
    "llama.attention.layer_norm_rms_epsilon": { type: "f32", value: 1e-5 },
    "llama.rope.dimension_count": u32(EMBEDDING / HEADS),
    "llama.vocab_size": u32(TOKENS.length),
    "tokenizer.ggml.model": { type: "string", value: "llama" },
    "tokenizer.ggml.tokens": { type: "array", of: "string", value: TOKENS },
    "tokenizer.ggml.scores": { type: "array", of: "f32", value: TOKENS.map(() => 0) },
    "tokenizer.ggml.token_type": { type: "array", of: "i32", value: types },
    "tokenizer.ggml.unknown_token_id": u32(0),
    "tokenizer.ggml.bos_token_id": u32(1),
    "tokenizer.ggml.eos_token_id": u32(2),
    "tokenizer.ggml.add_space_prefix": { type: "bool", value: false },
    "tokenizer.chat_template": { type: "string", value: TEMPLATE },
  };
}

function sizeOf(dimensions: readonly number[]): number {
  return dimensions.reduce((product, dimension) => product * dimension, 1);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
}

/** Attention and feed-forward layers are zero, so that each token passes through unchanged. */
function weightsOf({ name, dimensions }: Tensor): Buffer {
  const values = new Float32Array(sizeOf(dimensions));
  if (name.includes("norm")) values.fill(1);
  if (name === "token_embd.weight") for (const at of TOKENS.keys()) values[at * EMBEDDING + at] = 1;
  if (name === "output.weight")
    // The norm makes the one of an embedding this much larger.
    for (const next of TOKENS.keys())
      for (const last of TOKENS.keys())
        values[next * EMBEDDING + last] = likelihood(last, next) / Math.sqrt(EMBEDDING);
  return padded(Buffer.from(values.buffer));
}

const FIRST_BYTE = 3;
const END = 2;
const BEGINNING = "<tool_call>\n{";
const FOLLOWS = new Set([...BEGINNING].slice(1).map((letter, at) => `${BEGINNING[at]}${letter}`));

/** The logarithm of how likely a token is after another one, up to a constant. */
function likelihood(last: number, next: number): number {
  const [before, letter] = [last, next].map((token) => String.fromCharCode(token - FIRST_BYTE));
  if (next === END) return 0.5;
  if (next < FIRST_BYTE || next - FIRST_BYTE > 0x7e || (next - FIRST_BYTE < 0x20 && letter !== "\n"))
    return -20;
  if (FOLLOWS.has(`${before}${letter}`)) return 6;
  return letter === "<" ? 4.5 : 0;
}

/** Bytes that grow, in the order of small machines. */
class Bytes {
  readonly #parts: Buffer[] = [];

  get buffer(): Buffer {
    return Buffer.concat(this.#parts);
  }

  raw(bytes: Buffer): this {
    this.#parts.push(bytes);
    return this;
  }

  u32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return this.raw(bytes);
  }

  u64(value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return this.raw(bytes);
  }

  f32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    return this.raw(bytes);
  }

  string(text: string): this {
    const bytes = Buffer.from(text);
    return this.u64(bytes.length).raw(bytes);
  }

  value(value: Value): this {
    this.u32(TYPES[value.type]);
    if (value.type === "array") {
      this.u32(TYPES[value.of]).u64(value.value.length);
      for (const item of value.value) this.#scalar(value.of, item);
      return this;
    }
    if (value.type === "bool") return this.raw(Buffer.from([value.value ? 1 : 0]));
    return this.#scalar(value.type, value.value);
  }

  #scalar(type: "u32" | "i32" | "f32" | "string", value: number | string): this {
    if (type === "string") return this.string(String(value));
    return type === "f32" ? this.f32(Number(value)) : this.u32(Number(value));
  }
}
