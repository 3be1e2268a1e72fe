import { KNOWN_MODELS } from "@runahead/agent/internal";
import { expect, test } from "vitest";
import { spellingNotice } from "./model-spelling.ts";

const meantBy = (name: string, env: Record<string, string> = {}) =>
  /Did you mean "(.*?)"/.exec(spellingNotice(name, env) ?? "")?.[1];

test("a misspelled family in the name of a model is suggested, with the rest of the name", () => {
  const misspelled = {
    sonet: "sonnet",
    Opuss: "opus",
    opsu: "opus",
    haiuk: "haiku",
    "claude-sonet-5": "claude-sonnet-5",
    "cluade-opus-4-6": "claude-opus-4-6",
    "gtp-5.2": "gpt-5.2",
    "sonet[1m]": "sonnet[1m]",
    "openrouter/anthropic/claude-sonet-4.5": "openrouter/anthropic/claude-sonnet-4.5",
  };
  for (const [name, meant] of Object.entries(misspelled))
    expect([name, meantBy(name)]).toEqual([name, meant]);
});

test("a name that other servers could have is suggested only at the providers' own addresses", () => {
  const proxy = { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
  for (const name of ["sonnet-5", "claude-sonnet-4.5"])
    expect([meantBy(name)?.startsWith("claude-sonnet-"), meantBy(name, proxy)]).toEqual([true, undefined]);
});

test("names of other models are not taken for misspelled ones", () => {
  const others = [
    ...[
      "sonnet",
      "opus[1m]",
      "opusplan",
      "default",
      "inherit",
      "claude-3-5-sonnet-20241022",
      "claude-opus-9",
    ],
    ...["gpt-9", "o5-mini", "gemini-3-pro", "qwen3-coder:480b-cloud", "llama4", "mistral-large", "kimi-k2"],
    ...["deepseek-v4", "facebook/opt-30b", "grok-5", "glm-5", "bedrock/anthropic.claude-sonnet-5-v1:0"],
  ];
  expect([...others, ...KNOWN_MODELS].filter((name) => spellingNotice(name, {}) !== undefined)).toEqual([]);
});
