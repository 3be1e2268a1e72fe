import { expect, test } from "vitest";
import { openAiCounts } from "./openai-usage.ts";

test("thinking that a server counts only in the total is output, so that it is paid for", () => {
  const counts = {
    prompt_tokens: 32,
    completion_tokens: 9,
    total_tokens: 135,
    completion_tokens_details: { reasoning_tokens: 94 },
  };
  expect(openAiCounts(counts)).toMatchObject({ input_tokens: 32, output_tokens: 103 });
});

test("thinking that is a part of the output is counted once", () => {
  const counts = {
    input_tokens: 75,
    input_tokens_details: { cached_tokens: 25 },
    output_tokens: 1_186,
    output_tokens_details: { reasoning_tokens: 1_024 },
    total_tokens: 1_261,
  };
  expect(openAiCounts(counts)).toMatchObject({
    input_tokens: 50,
    output_tokens: 1_186,
    cache_read_input_tokens: 25,
  });
});

test("a total that is missing or too small changes nothing", () => {
  for (const total_tokens of [undefined, 0, 12, "many"])
    expect(openAiCounts({ prompt_tokens: 12, completion_tokens: 5, total_tokens })).toMatchObject({
      output_tokens: 5,
    });
});

test("what the cache has can be counted beside the input, and is not output then", () => {
  const counts = { prompt_tokens: 10, completion_tokens: 5, cache_read_input_tokens: 1_000 };
  const expected = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 1_000 };
  expect(openAiCounts({ ...counts, total_tokens: 1_015 })).toMatchObject(expected);
  expect(openAiCounts({ ...counts, prompt_tokens: 2_000, total_tokens: 3_005 })).toMatchObject({
    input_tokens: 2_000,
    output_tokens: 5,
  });
});

test("thinking that is as long as what the cache has is output", () => {
  const counts = {
    prompt_tokens: 200,
    prompt_tokens_details: { cached_tokens: 64 },
    completion_tokens: 5,
    completion_tokens_details: { reasoning_tokens: 64 },
    total_tokens: 269,
  };
  expect(openAiCounts(counts)).toMatchObject({ input_tokens: 136, output_tokens: 69 });
});

test("a cache that has more than the input leaves nothing of it", () => {
  const counts = { prompt_tokens: 377, prompt_tokens_details: { cached_tokens: 515 }, completion_tokens: 69 };
  expect(openAiCounts({ ...counts, total_tokens: 446 })).toMatchObject({
    input_tokens: 0,
    output_tokens: 69,
    cache_read_input_tokens: 515,
  });
});
