/** A session on disk in which a call to Write waits for an answer, because a hook deferred it. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ModelServer, modelServer, sse } from "../../../agent/test/support/model-server.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { runMain } from "./run-main.ts";

/** The settings of a hook that defers every call to Write. */
export const DEFERRING = JSON.stringify({
  hooks: {
    PreToolUse: [
      {
        matcher: "Write",
        hooks: [
          {
            type: "command",
            command: `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}'`,
          },
        ],
      },
    ],
  },
});

const NO_INPUT = {
  isTerminal: true,
  signal: new AbortController().signal,
  async *read() {
    yield await Promise.resolve(Buffer.alloc(0));
  },
};

export interface Parked {
  readonly root: string;
  readonly cwd: string;
  readonly home: string;
  readonly env: Record<string, string | undefined>;
  readonly id: string;
  readonly server: ModelServer;
  remove(): Promise<void>;
}

export async function parkedSession(): Promise<Parked> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parked-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
  const blocks = callBlock(0, "toolu_1", '{"file_path": "later.txt", "content": "now"}').map((event) =>
    "content_block" in event
      ? { ...event, content_block: { ...(event.content_block as object), name: "Write" } }
      : event,
  );
  const server = await modelServer(
    { pieces: [sse([messageStart, ...blocks, ...messageEnd("tool_use")])] },
    { pieces: [sse([messageStart, ...textBlock(0, "Written."), ...messageEnd("end_turn")])] },
  );
  const home = join(root, "home");
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: server.url,
  };
  const { out } = await runMain(
    root,
    ["-p", "write", "--trust", "--output-format", "json", "--settings", DEFERRING],
    { env, input: NO_INPUT },
  );
  const { session_id: id, stop_reason: reason } = JSON.parse(out) as Record<string, string>;
  if (reason !== "tool_deferred") throw new Error(`The call was not deferred: ${out}`);
  return {
    root,
    cwd: join(root, "project"),
    home,
    env,
    id: String(id),
    server,
    remove: async () => {
      await server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
