import { describe, expect, test } from "vitest";
import { anthropicEvent } from "./anthropic-event.ts";
import { ModelError } from "./error.ts";

const piece = (type: string, member: string, text: string): string =>
  JSON.stringify({ type: "content_block_delta", index: 3, delta: { type, [member]: text } });

const TEXTS = [
  "",
  "plain",
  '{"path":"a.ts","text":"one\\ntwo"}',
  '"}}',
  '"}}\\',
  '","index":4,"x":"',
  "\\u00e9",
  "ünïcödé 😀 \u2028",
  "half \uD83D",
  "\u0000\u001f\u007f",
  " } } ",
];

describe("an event that was read quickly equals the parsed one", () => {
  test.each(TEXTS)("with the text %j", (text) => {
    for (const [type, member] of [
      ["input_json_delta", "partial_json"],
      ["text_delta", "text"],
      ["thinking_delta", "thinking"],
      ["signature_delta", "signature"],
    ] as const) {
      const data = piece(type, member, text);
      for (const padded of [data, `${data.slice(0, -1)}    }`, `${data.slice(0, -2)} }  }`])
        expect(anthropicEvent(padded)).toEqual(JSON.parse(padded));
    }
  });

  test.each([
    '{"type":"content_block_stop","index":0}',
    '{"type":"content_block_stop","index":12345     }',
    '{"type":"content_block_stop","index":1234567890123}',
    '{"type":"content_block_stop","index":1.5}',
    '{"type":"content_block_stop","index":1e2}',
    '{"type":"content_block_stop","index":-1}',
    '{"type":"content_block_stop","index":1,"index":2}',
    '{"type":"content_block_stop","index":1,"more":{}}',
    '{"index":1,"type":"content_block_stop"}',
    '{ "type": "content_block_stop", "index": 1 }',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","text":"b"}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","more":"b"}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"},"more":{"b":"c"}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":null}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":{"a":"b"}}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"a":"b"}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":{}}}',
    '{"type":"content_block_start","index":7,"content_block":{"type":"tool_use","id":"a","name":"b","input":{} }   }',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"","name":"","input":{}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"\\u0061","name":"b","input":{}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"\\"","name":"b","input":{}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"\\"b","input":{}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":{"c":{}}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":{},"c":{}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":{}},"c":{}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
    '{"type":"content_block_state","index":0}',
    '{"type":"ping"}',
  ])("%s", (data) => {
    expect(anthropicEvent(data)).toEqual(JSON.parse(data));
  });
});

test.each([
  '{"type":"content_block_stop","index":01}',
  '{"type":"content_block_stop","index":}',
  '{"type":"content_block_stop","index":1',
  '{"type":"content_block_stop","index":1}}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a}}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\tb"}}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}}',
  '{"type":"content_block_delta","index":,"delta":{"type":"text_delta","text":"a"}}',
  '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a\tb","name":"c","input":{}}}',
  '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":{}}',
  '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b',
  "[]",
])("what is not a JSON object is an error: %s", (data) => {
  expect(() => anthropicEvent(data)).toThrow(ModelError);
});
