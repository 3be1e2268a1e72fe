import { chmodSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";

/** Reads a file and edits it. */
async function edited(content: string | Buffer, input: object) {
  const folder = new TestFolder();
  folder.write("a.txt", content);
  const call = agentIn(folder.path);
  await call("Read", { file_path: "a.txt" });
  const answer = await call("Edit", { file_path: "a.txt", ...input });
  return { ...answer, path: folder.at("a.txt"), bytes: readFileSync(folder.at("a.txt")) };
}

test("a text that is there once is replaced, and the result carries a diff", async () => {
  const { text, output, bytes, path } = await edited("one\ntwo\nthree\n", {
    old_string: "two",
    new_string: "2\n2b",
  });
  expect([text, bytes.toString()]).toEqual([
    `Edited ${path} in 1 place, line 2 (+2 −1 lines).`,
    "one\n2\n2b\nthree\n",
  ]);
  expect(output).toEqual({
    type: "edited",
    hadChanged: false,
    path,
    lines: [2],
    diff: {
      type: "hunks",
      hunks: [
        {
          oldStart: 1,
          oldLines: 3,
          newStart: 1,
          newLines: 4,
          lines: [" one", "-two", "+2", "+2b", " three"],
        },
      ],
      added: 2,
      removed: 1,
    },
  });
});

test("dollar signs in the new text have no special meaning", async () => {
  const { bytes } = await edited("a b c", { old_string: "b", new_string: "$& $1 \\n" });
  expect(bytes.toString()).toBe("a $& $1 \\n c");
});

test("a text that occurs several times is refused with its lines, or replaced everywhere", async () => {
  const content = "x\ny\nx\nz x\n";
  const refused = await edited(content, { old_string: "x", new_string: "w" });
  expect([refused.text, refused.isError, refused.bytes.toString()]).toEqual([
    "Error: old_string occurs 3 times in a.txt, on lines 1, 3, 4. Include more surrounding text to make it unique, " +
      "or set replace_all.",
    true,
    content,
  ]);
  const all = await edited(content, { old_string: "x", new_string: "w", replace_all: true });
  expect([all.text, all.bytes.toString()]).toEqual([
    `Edited ${all.path} in 3 places, lines 1, 3, 4 (+3 −3 lines).`,
    "w\ny\nw\nz w\n",
  ]);
});

test("a text that is missing, or differs only in whitespace, is refused with a hint", async () => {
  const content = "if (a) {\n    b();\n}\n";
  expect((await edited(content, { old_string: "c()", new_string: "d()" })).text).toBe(
    "Error: old_string was not found in a.txt. The file contains nothing similar. Read it again and copy the text exactly, without the line numbers.",
  );
  expect((await edited(content, { old_string: "if (a) {\n  b();\n}", new_string: "" })).text).toBe(
    "Error: old_string was not found in a.txt. Text that differs only in whitespace is on line 1: copy its indentation exactly.",
  );
});

test("an edit with two identical texts is refused", async () => {
  expect((await edited("a", { old_string: "a", new_string: "a" })).text).toBe(
    "Error: old_string and new_string are identical, so there is nothing to change.",
  );
});

test("line endings stay: LF in the model's text means CRLF where the file has that", async () => {
  const { bytes } = await edited("one\r\ntwo\r\nthree\r\n", { old_string: "one\ntwo", new_string: "1\n2" });
  expect(bytes.toString()).toBe("1\r\n2\r\nthree\r\n");
  const inserted = await edited("one\r\ntwo\r\n", { old_string: "two", new_string: "two\nthree" });
  expect(inserted.bytes.toString()).toBe("one\r\ntwo\r\nthree\r\n");
  const mixed = await edited("a\nb\r\nc\r\nd\n", { old_string: "b\nc", new_string: "x\ny" });
  expect(mixed.bytes.toString()).toBe("a\nx\r\ny\r\nd\n");
});

test("byte order mark, encoding, invalid bytes and mode stay", async () => {
  const change = { old_string: "grün", new_string: "röt" };
  expect((await edited("\uFEFFgrün\n", change)).bytes).toEqual(Buffer.from("\uFEFFröt\n"));
  const le = Buffer.from("\uFEFFgrün\n", "utf16le");
  expect((await edited(le, change)).bytes).toEqual(Buffer.from("\uFEFFröt\n", "utf16le"));
  expect((await edited(Buffer.from(le).swap16(), change)).bytes).toEqual(
    Buffer.from("\uFEFFröt\n", "utf16le").swap16(),
  );
  const invalid = Buffer.concat([Buffer.from("grün "), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(" end")]);
  expect((await edited(invalid, change)).bytes).toEqual(
    Buffer.concat([Buffer.from("röt "), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(" end")]),
  );
  const folder = new TestFolder();
  folder.write("run.sh", "a");
  chmodSync(folder.at("run.sh"), 0o741);
  const call = agentIn(folder.path);
  await call("Read", { file_path: "run.sh" });
  await call("Edit", { file_path: "run.sh", old_string: "a", new_string: "b" });
  expect([readFileSync(folder.at("run.sh"), "utf8"), statSync(folder.at("run.sh")).mode & 0o7777]).toEqual([
    "b",
    0o741,
  ]);
});

test("an empty old_string only creates a new file or fills an empty one", async () => {
  const folder = new TestFolder();
  const call = agentIn(folder.path);
  const fill = { old_string: "", new_string: "new\n" };
  expect((await call("Edit", { file_path: "sub/new.txt", ...fill })).text).toBe(
    `Created ${folder.at("sub/new.txt")}.`,
  );
  expect(readFileSync(folder.at("sub/new.txt"), "utf8")).toBe("new\n");
  expect((await call("Edit", { file_path: "sub/new.txt", ...fill })).text).toBe(
    "Error: sub/new.txt exists and is not empty. Pass the text to replace as old_string, or use Write to replace the whole file.",
  );
  expect((await edited("", fill)).bytes.toString()).toBe("new\n");
  expect((await call("Edit", { file_path: "sub/nex.txt", old_string: "a", new_string: "b" })).text).toBe(
    `Error: sub/nex.txt does not exist (looked for ${folder.at("sub/nex.txt")}). Did you mean sub/new.txt?`,
  );
});

test("a file that was never read is not edited; one's own edits count as read", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "one");
  const call = agentIn(folder.path);
  const first = { file_path: "a.txt", old_string: "one", new_string: "two" };
  expect((await call("Edit", first)).text).toBe(
    `Error: ${folder.at("a.txt")} has not been read yet. Read it first.`,
  );
  await call("Read", { file_path: "a.txt" });
  await call("Edit", first);
  await call("Edit", { file_path: "a.txt", old_string: "two", new_string: "three" });
  expect(readFileSync(folder.at("a.txt"), "utf8")).toBe("three");
});

test("C17: an edit of a file that another program changed is applied to its current content and says so", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "one\n");
  const call = agentIn(folder.path);
  const input = { file_path: "a.txt", old_string: "one", new_string: "two" };
  await call("Read", { file_path: "a.txt" });
  folder.write("a.txt", "head\none \n");
  expect(await call("Edit", input)).toMatchObject({
    isError: false,
    text: expect.stringMatching(/line 2 .*The file had changed since you read it/) as string,
    output: { hadChanged: true },
  });
  expect(readFileSync(folder.at("a.txt"), "utf8")).toBe("head\ntwo \n");
});

test("C17: an edit whose text is gone or ambiguous after a change is refused, and says that the file changed", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "one\n");
  const call = agentIn(folder.path);
  const input = { file_path: "a.txt", old_string: "one", new_string: "two" };
  await call("Read", { file_path: "a.txt" });
  folder.write("a.txt", "three\n");
  expect((await call("Edit", input)).text).toMatch(/^Error: .*not found.*changed since you read it/s);
  folder.write("a.txt", "one\none\n");
  expect((await call("Edit", input)).text).toMatch(/^Error: .*occurs 2 times.*changed since you read it/s);
  expect(readFileSync(folder.at("a.txt"), "utf8")).toBe("one\none\n");
});

test("C17: after such an edit, Write still needs a Read, because the agent has not seen the other change", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "one\n");
  const call = agentIn(folder.path);
  await call("Read", { file_path: "a.txt" });
  folder.write("a.txt", "one\nby the user\n");
  await call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
  const write = { file_path: "a.txt", content: "two\n" };
  expect((await call("Write", write)).text).toMatch(/^Error: .*changed since you read it/);
  await call("Read", { file_path: "a.txt" });
  expect((await call("Write", write)).isError).toBe(false);
});

test("C17: a file that was rewritten with the same content has not changed", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "one\n");
  const call = agentIn(folder.path);
  await call("Read", { file_path: "a.txt" });
  folder.write("a.txt", "other\n");
  folder.write("a.txt", "one\n");
  expect(await call("Write", { file_path: "a.txt", content: "two\n" })).toMatchObject({ isError: false });
});

test("G06: agents with separate memories that edit one file lose nothing", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "one two");
  const first = agentIn(folder.path);
  const second = agentIn(folder.path);
  await first("Read", { file_path: "a.txt" });
  await second("Read", { file_path: "a.txt" });
  await first("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" });
  const change = { file_path: "a.txt", old_string: "two", new_string: "2" };
  expect((await second("Edit", change)).text).toMatch(/had changed since you read it/);
  expect(readFileSync(folder.at("a.txt"), "utf8")).toBe("1 2");
});

test("binary and very large files are not edited as text", async () => {
  const folder = new TestFolder();
  folder.write("large.txt", Buffer.concat([Buffer.from("text\n"), Buffer.alloc(17_000_000, "x")]));
  const call = agentIn(folder.path);
  await call("Read", { file_path: "large.txt", limit: 1 });
  expect((await call("Edit", { file_path: "large.txt", old_string: "text", new_string: "t" })).text).toBe(
    "Error: large.txt was not edited: it has 17000005 bytes (limit 16777216). Change it with a Bash command.",
  );
  expect((await edited(Buffer.from([0, 1, 2]), { old_string: "a", new_string: "b" })).text).toBe(
    "Error: a.txt was not edited: it is a binary file.",
  );
});
