import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createACPProvider } from "@mcpc-tech/acp-ai-provider";
import { type ToolSet, streamText } from "ai";
import { expect, inject, onTestFinished, test } from "vitest";
import { askedModel } from "../repl/answers.ts";
import { newFolder } from "./editor.ts";

test("the agent is a model of the AI SDK, through a provider for the protocol", async () => {
  const model = await askedModel();
  onTestFinished(() => model.close());
  const folder = newFolder();
  const provider = createACPProvider({
    command: process.execPath,
    args: [inject("program"), "acp", "--permission-mode", "acceptEdits"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: join(folder, "home"),
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: model.url,
    },
    session: { cwd: join(folder, "project"), mcpServers: [] },
  });
  onTestFinished(() => provider.cleanup());
  const { textStream } = streamText({
    model: provider.languageModel(),
    prompt: "Write b.txt.",
    // The types of the provider are those of another version.
    tools: provider.tools as unknown as ToolSet,
  });
  const said = (async () => {
    let text = "";
    for await (const piece of textStream) text += piece;
    return text;
  })();
  (await model.asked()).calls(["Write", { file_path: "b.txt", content: "written" }]);
  (await model.asked()).says("It is written.");
  expect(await said).toContain("It is written.");
  expect(readFileSync(join(folder, "project/b.txt"), "utf8")).toBe("written");
});
