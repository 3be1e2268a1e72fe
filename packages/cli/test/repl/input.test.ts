import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programs } from "./programs.ts";
import { newFolder } from "./terminal.ts";

const tested = programs();
const ESC = "\u001b";
const PNG = "89504e470d0a1a0a0000000d49484452";

/** A home with key bindings, and a clipboard that has an image. */
function preparedFolder(): string {
  const folder = newFolder();
  mkdirSync(join(folder, "home/.runahead"), { recursive: true });
  const bindings = { "ctrl+t": "stash", "ctrl+c": "stash" };
  writeFileSync(join(folder, "home/.runahead/keybindings.json"), JSON.stringify(bindings));
  mkdirSync(join(folder, "project/src/deep"), { recursive: true });
  writeFileSync(join(folder, "project/src/deep/greeting-service.ts"), "hello\n");
  writeFileSync(join(folder, "project/shot.png"), Buffer.from(PNG, "hex"));
  mkdirSync(join(folder, "bin"));
  writeFileSync(
    join(folder, "bin/xclip"),
    `#!/bin/sh\nprintf '${PNG.replaceAll(/../g, (byte) => `\\${parseInt(byte, 16).toString(8).padStart(3, "0")}`)}'\n`,
  );
  chmodSync(join(folder, "bin/xclip"), 0o700);
  return folder;
}

test("keys, stash, files by some letters, images, and vim keys in one line", async () => {
  const folder = preparedFolder();
  const PATH = `${join(folder, "bin")}:${process.env["PATH"]}`;
  const program = tested.start({ folder, env: { PATH, DISPLAY: ":9" } });
  await program.sees("keybindings.json: ctrl+c: this key cannot be changed");
  await program.sees("? for keys");
  program.press("?");
  expect(await program.sees("─ Keys ─")).toContain("Ctrl+S, Ctrl+T");
  program.press("?");
  await program.sees((text) => !text.includes("─ Keys ─"));
  program.press("my draft");
  await program.sees("› my draft");
  program.press("\u0014");
  await program.sees((text) => text.includes("Put aside.") && !text.includes("› my draft"));
  program.press("\u0014");
  await program.sees("› my draft");
  program.press(" @grtserv");
  await program.sees("→ src/deep/greeting-service.ts");
  program.press("\t");
  await program.sees("› my draft @src/deep/greeting-service.ts");
  program.press("and @shot.png \u0016");
  await program.sees("[Image #1]");
  program.press("\r");
  const answer = await tested.model.asked();
  const [last] = (
    JSON.parse(tested.model.requests.at(-1) ?? "") as { messages: { content: { type: string }[] }[] }
  ).messages.slice(-1);
  expect(last?.content.map(({ type }) => type).filter((type) => type === "image")).toHaveLength(2);
  expect(JSON.stringify(last)).toContain(Buffer.from(PNG, "hex").toString("base64"));
  expect(JSON.stringify(last)).toContain("hello");
  answer.says("Seen.");
  await program.idle();
  await program.types("/vim");
  await program.sees("vim: insert");
  await program.sees("Saved in ");
  program.press("one two three");
  await program.sees("› one two three");
  program.press(ESC);
  await program.sees("vim: normal");
  program.press("0");
  program.press("d");
  await program.sees("vim: normal d");
  program.press("w");
  await program.sees("› two three");
  program.press("A");
  await program.sees("vim: insert");
  program.press(" four");
  await program.sees("› two three four");
  program.press("\r");
  await tested.model.asked();
  expect(tested.model.requests.at(-1)).toContain("two three four");
});
