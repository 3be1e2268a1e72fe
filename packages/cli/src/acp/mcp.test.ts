import { expect, test } from "vitest";
import { mcpConfigOf } from "./mcp.ts";

test("a client's servers are converted to the format of .mcp.json, whatever their transport", () => {
  const pairs = [{ name: "KEY", value: "secret" }];
  const [config = ""] = mcpConfigOf([
    { name: "one", command: "/bin/one", args: ["-x"], env: pairs },
    { name: "two", type: "http", url: "https://two", headers: pairs },
    { name: "three", type: "sse", url: "https://three", headers: [] },
  ]);
  expect(JSON.parse(config)).toEqual({
    mcpServers: {
      one: { type: "stdio", command: "/bin/one", args: ["-x"], env: { KEY: "secret" } },
      two: { type: "http", url: "https://two", headers: { KEY: "secret" } },
      three: { type: "sse", url: "https://three", headers: {} },
    },
  });
  expect(mcpConfigOf([])).toEqual([]);
});
