/** Opens the list of sub-agents for a conversation. */

import type { CodingAgent } from "@runahead/harness";
import type { Screen } from "../screen/screen.ts";
import type { AgentLogs } from "../transcript/agent-logs.ts";
import { agentRows } from "./agent-rows.ts";
import { AgentsPanel } from "./agents-panel.ts";
import type { Panels } from "./panels.ts";

interface Shown {
  readonly made: CodingAgent;
  readonly panels: Panels;
  readonly screen: Screen;
  readonly logs: AgentLogs;
}

export function showAgents({ made, panels, screen, logs }: Shown): void {
  const { agent } = made;
  void panels.open<void>(
    (done) =>
      new AgentsPanel({
        rows: () => agentRows(agent),
        linesOf: (id) => logs.linesOf(id, performance.now()),
        stop: async ({ id, kind }) => {
          if (kind === "command") await made.stopTask(id);
          else agent.stopAgent(id);
        },
        send: (id, text) => agent.sendTo(id, text),
        toBackground: (id) => agent.moveToBackground(id).length > 0,
        close: () => done(undefined),
        onChange: () => screen.requestRender(),
      }),
  );
}
