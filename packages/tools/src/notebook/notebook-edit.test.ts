import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";

/** With forms that JSON.stringify would not keep: 1.0, escapes, spaces. */
const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "sum",
   "metadata": { "took": 1.0, "name": "\\u00fc" },
   "outputs": [
    {
     "output_type": "stream",
     "text": ["} ] \\" {"]
    }
   ],
   "source": [
    "1 + 1"
   ]
  }
 ],
 "metadata": {"version": 2.50},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

async function edited(input: object, text = NOTEBOOK) {
  const folder = new TestFolder();
  folder.write("a.ipynb", text);
  const call = agentIn(folder.path);
  await call("Read", { file_path: "a.ipynb" });
  const answer = await call("NotebookEdit", { notebook_path: "a.ipynb", ...input });
  const after = readFileSync(folder.at("a.ipynb"), "utf8");
  const parsed = JSON.parse(after) as { cells: object[] };
  return { ...answer, after, cells: parsed.cells, path: folder.at("a.ipynb") };
}

test("a cell's source is replaced, its outputs are cleared, and all else stays to the letter", async () => {
  const { after, text, path } = await edited({ cell_id: "sum", new_source: "x = 2\nx" });
  expect(text).toBe(`Cell sum of ${path} was replaced (+4 −8 lines).`);
  expect(after).toBe(
    NOTEBOOK.replace('"1 + 1"', '"x = 2\\n",\n    "x"')
      .replace(/"outputs": \[[\s\S]*?\n {3}\]/, '"outputs": []')
      .replace('"execution_count": 7', '"execution_count": null'),
  );
});

test("a cell is inserted after another, or first", async () => {
  const second = await edited({ cell_id: "intro", new_source: "a", cell_type: "code", edit_mode: "insert" });
  const made = {
    cell_type: "code",
    execution_count: null,
    id: expect.stringMatching(/^[0-9a-f]{8}$/),
    metadata: {},
  };
  expect(second.cells).toMatchObject([
    { id: "intro" },
    { ...made, outputs: [], source: ["a"] },
    { id: "sum" },
  ]);
  expect(
    second.after.replace(
      /,\n {2}\{\n {3}"cell_type": "code",\n {3}"execution_count": null[\s\S]*?\n {2}\}/,
      "",
    ),
  ).toBe(NOTEBOOK);
  const first = await edited({ new_source: "", cell_type: "markdown", edit_mode: "insert" });
  expect(first.cells).toMatchObject([
    { cell_type: "markdown", id: expect.any(String), metadata: {}, source: [] },
    { id: "intro" },
    { id: "sum" },
  ]);
});

test("a cell is deleted, with or without new_source: the first, the last, the only one", async () => {
  const first = await edited({ cell_id: "intro", edit_mode: "delete" });
  expect([first.cells.length, first.text]).toEqual([
    1,
    expect.stringMatching(/^Cell intro of .* was deleted/),
  ]);
  expect((await edited({ cell_id: "sum", new_source: "", edit_mode: "delete" })).cells).toMatchObject([
    { id: "intro" },
  ]);
  const one =
    '{"cells":[{"cell_type":"raw","metadata":{},"source":"x"}],"metadata":{},"nbformat":4,"nbformat_minor":2}';
  const only = await edited({ cell_id: "cell-0", new_source: "", edit_mode: "delete" }, one);
  expect(only.after).toBe('{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":2}');
});

test("a notebook on one line stays on one line, and gets no ids that its format does not know", async () => {
  const one = '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":2}';
  const { after } = await edited({ new_source: "a\nb", cell_type: "code", edit_mode: "insert" }, one);
  expect(after).toBe(
    '{"cells":[{"cell_type":"code","execution_count":null,"metadata":{},"outputs":[],"source":["a\\n","b"]}],' +
      '"metadata":{},"nbformat":4,"nbformat_minor":2}',
  );
});

test("a cell of another type keeps its id and its metadata", async () => {
  const { cells } = await edited({ cell_id: "sum", new_source: "words", cell_type: "markdown" });
  expect(cells[1]).toEqual({
    cell_type: "markdown",
    id: "sum",
    metadata: { took: 1, name: "ü" },
    source: ["words"],
  });
});

test("missing and unknown cells are reported", async () => {
  expect((await edited({ cell_id: "nope", new_source: "" })).text).toBe(
    'Error: a.ipynb has no cell "nope". Cells: intro, sum.',
  );
  expect((await edited({ new_source: "" })).text).toBe(
    "Error: cell_id is required to replace a cell. Read a.ipynb to see the ids.",
  );
  expect((await edited({ new_source: "", edit_mode: "insert" })).text).toBe(
    'Error: cell_type is required to insert a cell: "code" or "markdown".',
  );
  expect((await edited({ cell_id: "sum" })).text).toBe("Error: new_source is required to replace a cell.");
  expect((await edited({ cell_type: "code", edit_mode: "insert" })).text).toBe(
    "Error: new_source is required to insert a cell.",
  );
});

test("C17: a notebook that was not read, or has changed, is refused", async () => {
  const folder = new TestFolder();
  folder.write("a.ipynb", NOTEBOOK);
  const call = agentIn(folder.path);
  const input = { notebook_path: "a.ipynb", cell_id: "sum", new_source: "" };
  expect((await call("NotebookEdit", input)).text).toMatch(/has not been read yet/);
  await call("Read", { file_path: "a.ipynb" });
  folder.write("a.ipynb", NOTEBOOK.replace("Title", "Other"));
  expect((await call("NotebookEdit", input)).text).toMatch(/changed since you read it/);
  expect((await call("NotebookEdit", { ...input, notebook_path: "b.ipynb" })).text).toMatch(
    /^Error: b\.ipynb does not exist .* Did you mean a\.ipynb\?$/,
  );
});
