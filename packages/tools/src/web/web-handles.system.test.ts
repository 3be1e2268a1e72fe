import { expect, test } from "vitest";
import { agentIn } from "../../test/support/file-tool-calls.ts";
import { webServer } from "../../test/support/web-server.ts";
import { webFetchTool } from "./web-fetch.ts";

test("no socket, process or lookup is left of fetches that went well, failed or were refused", async () => {
  const server = await webServer((request, response) => {
    if (request.url === "/broken") return void response.destroy();
    response.writeHead(200, { "content-type": request.url === "/image" ? "image/png" : "text/html" });
    response.end("<p>hello</p>");
  });
  const kinds = (): string[] =>
    process
      .getActiveResourcesInfo()
      .filter((kind) => kind !== "Timeout" && kind !== "Immediate")
      .toSorted();
  const call = agentIn("/tmp", [webFetchTool({ allowPrivate: true })]);
  const before = kinds();
  for (const path of ["/page", "/broken", "/image"])
    await call("WebFetch", { url: server.url + path, prompt: "" });
  await agentIn("/tmp", [webFetchTool()])("WebFetch", { url: server.url, prompt: "" });
  await expect.poll(() => kinds()).toEqual(before);
});
