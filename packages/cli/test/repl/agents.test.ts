import { expect, test } from "vitest";
import { programs } from "./programs.ts";

const tested = programs();

test("a sub-agent goes to the background by Ctrl+B, is watched and sent a message, and its end wakes the model", async () => {
  const program = tested.start({ prompt: "go" });
  (await tested.model.asked()).calls(["Agent", { description: "look", prompt: "Look." }]);
  const sub = await tested.model.asked();
  await program.sees("Agent: look · running");
  program.press("\u0002");
  const main = await tested.model.asked();
  expect(tested.model.requests.at(-1)).toContain("The user moved agent-1 to the background");
  main.says("I go on.");
  await program.sees((text) => text.includes("I go on.") && !text.includes("Esc to interrupt"));
  await program.types("/tasks");
  await program.sees(
    (text) =>
      text.includes("Sub-agents ─ 1 at work, 0 ended") &&
      /› agent-1 general-purpose: look\n {4}running .* in the background/.test(text),
  );
  program.press("\r");
  await program.sees("agent-1 ─ live");
  sub.send(
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I look at the parser." } },
  );
  await program.sees("I look at the parser.");
  program.press("m");
  await program.sees("Enter to send, Esc to cancel");
  program.press("also b.ts");
  await program.sees("also b.ts");
  program.press("\r");
  await program.sees("Sent to agent-1.");
  program.press("\u001b");
  await program.sees("Enter to open");
  program.press("\u001b");
  await program.sees((text) => !text.includes("Enter to open"));
  // Leaving asks first.
  program.press("\u0004");
  await program.sees("Still running in the background: agent-1. Exiting stops it.");
  sub.send({ type: "content_block_stop", index: 0 });
  sub.ends("end_turn");
  const again = await tested.model.asked();
  expect(tested.model.requests.at(-1)).toContain("also b.ts");
  again.says("Both are fine.");
  const woken = await tested.model.asked();
  expect(tested.model.requests.at(-1)).toContain("Both are fine.");
  await program.sees(
    (text) => text.includes("Background agent agent-1 ended (finished)") && text.includes("Esc to interrupt"),
  );
  woken.says("I have read it.");
  await program.sees((text) => text.includes("I have read it.") && !text.includes("Esc to interrupt"));
  await program.types("/tasks");
  await program.sees("Sub-agents ─ 0 at work, 1 ended");
  program.press("\r");
  expect(await program.sees("Both are fine.")).toContain("I look at the parser.");
  program.press("\u0003");
  await program.sees((text) => !text.includes("Esc to go back"));
  program.press("\u0004");
  expect(await program.ended).toBe(0);
});

test("one of two sub-agents is stopped on the screen, and the other goes on", async () => {
  const program = tested.start({ prompt: "go" });
  (await tested.model.asked()).calls(
    ["Agent", { description: "one", prompt: "First." }],
    ["Agent", { description: "two", prompt: "Second." }],
  );
  await tested.model.asked();
  await tested.model.asked();
  await program.sees(
    (text) => text.includes("Agent: one · running") && text.includes("Agent: two · running"),
  );
  await program.types("/tasks");
  await program.sees("Sub-agents ─ 2 at work, 0 ended");
  program.press("x");
  await program.sees("Sub-agents ─ 1 at work, 1 ended");
  expect(await program.sees((text) => /agent-1 .*one\n {4}stopped/.test(text))).toMatch(
    /agent-2 .*two\n {4}running/,
  );
});
