/** An MCP server that decides on calls, by what stands in their input; `node permission-server.mjs`, over stdio. */

import { createInterface } from "node:readline";

const tools = [{ name: "decide", description: "Decides.", inputSchema: { type: "object" } }];

function decide({ tool_name, input }) {
  const { content = "" } = input;
  if (content.startsWith("allow")) return JSON.stringify({ behavior: "allow" });
  if (content.startsWith("change"))
    return JSON.stringify({ behavior: "allow", updatedInput: { ...input, content: "changed\n" } });
  if (content.startsWith("elsewhere"))
    return JSON.stringify({ behavior: "allow", updatedInput: { ...input, file_path: ".git/config" } });
  if (content.startsWith("deny")) return JSON.stringify({ behavior: "deny", message: `not ${tool_name}` });
  return content;
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "permission", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ arguments: given }) => ({ content: [{ type: "text", text: decide(given) }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = METHODS[method];
  const result =
    answer === undefined ? { error: { code: -32601, message: "no" } } : { result: answer(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...result })}\n`);
});
