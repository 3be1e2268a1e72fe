import { afterEach, beforeEach, expect, test } from "vitest";
import { PromptWorld, calls, remindersIn, requestsOf, says } from "../../../test/support/prompt-world.ts";

let world: PromptWorld;
beforeEach(() => {
  world = new PromptWorld();
  world.write("a.txt", "a\n");
  world.commitAll();
});
afterEach(() => world.remove());

const task = (subject: string) => calls("TaskCreate", { subject, description: "" });

test("a resumed session has its tasks, mode and job numbers, and the model gets one note", async () => {
  const sleeper = calls("Bash", { command: "sleep 60", run_in_background: true });
  const first = await world.start([task("write it"), sleeper, says("ok")], {
    model: "claude-x",
    allowedTools: ["Bash"],
  });
  first.gate.setMode("acceptEdits");
  await first.agent.send("go");
  const id = first.session?.id ?? "";
  await first.close();

  world.git("checkout", "-qb", "other");
  const second = await world.start([calls("TaskList", {}), sleeper, says("done")], {
    model: "claude-x",
    resume: id,
    allowedTools: ["Bash"],
  });
  expect(second.gate.mode).toBe("acceptEdits");
  expect(second.session?.usage.outputTokens).toBe(first.session?.usage.outputTokens);
  await second.agent.send("on");
  const requests = requestsOf(second.server);
  const notes = remindersIn(requests[0]!).filter((text) => text.startsWith("This session was resumed"));
  expect(notes).toEqual([
    expect.stringMatching(
      /^This session was resumed at .*, \d+ seconds? after its last turn\. The git branch is other\. These background jobs ended .*\nbash_1: sleep 60$/,
    ),
  ]);
  const sent = JSON.stringify(requests.at(-1)?.messages);
  expect(sent).toContain("1. [pending] write it");
  expect(sent).toContain("bash_2");
  expect(sent.match(/This session was resumed/g)).toHaveLength(1);
});

test("a mode that was given for this run is kept, and bypassPermissions is never restored", async () => {
  const first = await world.start([says("ok")], { model: "claude-x" });
  first.gate.setMode("plan");
  await first.agent.send("go");
  const id = first.session?.id ?? "";
  await first.close();
  const given = await world.start([says("ok")], { model: "claude-x", resume: id, permissionMode: "default" });
  expect(given.gate.mode).toBe("default");
  given.gate.setMode("bypassPermissions");
  await given.agent.send("go");
  await given.close();
  const last = await world.start([], { model: "claude-x", resume: id });
  expect(last.gate.mode).toBe("default");
});
