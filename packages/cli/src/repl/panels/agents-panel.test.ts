import type { AgentInfo } from "@runahead/harness";
import { expect, test } from "vitest";
import { strip } from "../../shared/safe-text.ts";
import { agentRows } from "./agent-rows.ts";
import { AgentsPanel } from "./agents-panel.ts";

const USAGE = { inputTokens: 12_000, outputTokens: 300, cacheReadTokens: 0, cacheWriteTokens: 0 };

function info(id: string, more: Partial<AgentInfo> = {}): AgentInfo {
  return {
    id,
    type: "explore",
    description: `task of ${id}`,
    parent: undefined,
    callId: "c",
    isBackground: false,
    state: "finished",
    startedAt: 0,
    endedAt: 12_000,
    action: "",
    usage: USAGE,
    costUsd: 0,
    calls: 2,
    changedFiles: [],
    ...more,
  };
}

const AGENTS = [
  info("agent-1", { state: "running", action: "Read docs/api.md", calls: 1 }),
  info("agent-2"),
  info("agent-3", { parent: "agent-1" }),
  info("agent-4", { parent: "agent-3", description: "evil \u001b[2J\nlines" }),
  info("agent-5", {
    parent: "agent-0",
    state: "waiting",
    calls: 0,
    usage: { ...USAGE, inputTokens: 0, outputTokens: 0 },
  }),
];

function opened(agents: readonly AgentInfo[]) {
  const did: string[] = [];
  const panel = new AgentsPanel({
    rows: () => agentRows({ agents, background: [] }),
    linesOf: (id) => Array.from({ length: 30 }, (_, at) => `${id} line ${at + 1}`),
    stop: async ({ id }) => void did.push(`stop ${id}`),
    send: async (id, text) => {
      if (text === "fail") throw new Error(`There is no sub-agent ${id}.`);
      did.push(`send ${id} ${text}`);
    },
    toBackground: (id) => did.push(`background ${id}`) > 0,
    close: () => did.push("close"),
    onChange: () => {},
  });
  const shown = (rows = 20): string[] => panel.render(70, rows).map(strip);
  const press = (...keys: readonly string[]): void => keys.forEach((key) => panel.handleInput(key));
  return { panel, did, shown, press };
}

test("sub-agents are a tree with what they do, their time and tokens", () => {
  const { shown } = opened(AGENTS);
  expect(shown()).toEqual([
    "─ Sub-agents ─ 2 at work, 3 ended ────────────────────────────────────",
    "› agent-1 explore: task of agent-1",
    "    running 12 s · 1 call · 12.3k tokens · Read docs/api.md",
    "    agent-3 explore: task of agent-3",
    "      finished 12 s · 2 calls · 12.3k tokens",
    "      agent-4 explore: evil lines",
    "        finished 12 s · 2 calls · 12.3k tokens",
    "  agent-2 explore: task of agent-2",
    "    finished 12 s · 2 calls · 12.3k tokens",
    "  agent-5 explore: task of agent-5",
    "    waiting",
    "↑ ↓ to move, Enter to open, m to send a message, x to stop,",
    "b for background",
  ]);
});

test("the selected sub-agent stays visible on a small screen, also when others start", () => {
  const agents = [...AGENTS];
  const { shown, press } = opened(agents);
  press("\u001b[B", "\u001b[B", "\u001b[B");
  expect(shown(6).join("\n")).toContain("› agent-2");
  agents.unshift(info("agent-9"));
  expect(shown(6).join("\n")).toContain("› agent-2");
  expect(shown(3)).toHaveLength(3);
});

test("an open sub-agent follows what is new until it is scrolled", () => {
  const { shown, press } = opened(AGENTS);
  press("\r");
  expect(shown(8).slice(0, 1)).toEqual([expect.stringContaining("agent-1 ─ live")]);
  expect(shown(8)).toContain("agent-1 line 30");
  press("\u001b[5~");
  expect(shown(8)).not.toContain("agent-1 line 30");
  expect(shown(8)[0]).toContain("27 of 30 lines");
  press("\u001b[H");
  expect(shown(8)).toContain("agent-1 line 1");
  press("\u001b[F");
  expect(shown(8)).toContain("agent-1 line 30");
});

test("keys stop, move and message the selected sub-agent, and letters of a message do nothing else", async () => {
  const { did, shown, press, panel } = opened(AGENTS);
  press("x", "b", "m");
  expect(panel.takesText).toBe(true);
  press("x", "q", "b", "\r");
  expect(did).toEqual(["stop agent-1", "background agent-1", "send agent-1 xqb"]);
  press("m", ..."fail", "\r");
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown().at(-1)).toBe("There is no sub-agent agent-1.");
  press("\u001b[B", "x");
  expect(shown().at(-1)).toBe("agent-3 has ended.");
  press("m", "\u001b", "\r", "\u001b", "\u001b");
  expect(did.slice(3)).toEqual(["close"]);
});

test("a session without sub-agents says so", () => {
  const { shown, press, did } = opened([]);
  expect(shown()[1]).toBe("No sub-agents and no background commands in this session.");
  press("\r", "x", "m", "\u001b[A", "\u001b[B", "\u001b");
  expect(did).toEqual(["close"]);
});

test("the note that a sub-agent is being stopped goes when it has stopped", () => {
  const agents = [...AGENTS];
  const { press, shown } = opened(agents);
  press("x");
  expect(shown().at(-1)).toBe("agent-1 is being stopped.");
  agents[0] = info("agent-1", { state: "stopped" });
  expect(shown().at(-1)).toBe("b for background");
});
