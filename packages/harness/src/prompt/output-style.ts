/** Output styles: texts that change how the agent answers. */

import { basename, join } from "node:path";
import { DESCRIPTIVE, Fields, type FieldTable } from "../definitions/fields.ts";
import { type DefinitionFolder, markdownBelow } from "../settings/agents.ts";
import { runaheadHome } from "../home.ts";
import { type Where, projectRoot } from "../settings/place.ts";
import { readText } from "../settings/read.ts";

/** An output style. */
export interface OutputStyle {
  readonly name: string;
  /** What the model reads. */
  readonly text: string;
  /** Whether the usual instructions for work on code stay. */
  readonly keepsCoding: boolean;
}

const TABLE: FieldTable = {
  used: ["name", "keep-coding-instructions"],
  inert: {},
  descriptive: ["description", ...DESCRIPTIVE],
  aliases: {},
  structured: [],
  restrictions: [],
};

const BUILT_IN: readonly OutputStyle[] = [
  {
    name: "Explanatory",
    keepsCoding: true,
    text: "# Output style: Explanatory\nBesides doing the work, explain it: before and after a change, give two or three short points about why the code is as it is, what you chose and what you decided against. Write about this code base, not about programming in general.",
  },
  {
    name: "Learning",
    keepsCoding: true,
    text: "# Output style: Learning\nWork together with the user. Explain your choices in short points. Where a piece of five to ten lines is a good exercise, leave it to the user: mark the place with a comment, say what it should do and what to consider, and wait for them.",
  },
  {
    name: "Proactive",
    keepsCoding: true,
    text: "# Output style: Proactive\nAct without waiting: make sensible assumptions instead of asking, and continue with the next obvious step. Say what you assumed.",
  },
];

interface StylePlace extends Where {
  readonly isTrusted: boolean;
  /** Folders of plugins. */
  readonly more: readonly DefinitionFolder[];
}

/** Finds a style by name. `default` is none; an unknown name is reported. */
export async function outputStyle(
  name: string | undefined,
  where: StylePlace,
  onNotice: (message: string) => void,
): Promise<OutputStyle | undefined> {
  if (name === undefined || /^default$/i.test(name)) return undefined;
  const styles = [...(await stylesIn(where)), ...BUILT_IN];
  const found = styles.find((style) => style.name.toLowerCase() === name.toLowerCase());
  if (found === undefined)
    onNotice(
      `outputStyle: there is no style ${name}. Styles: default, ${styles.map((style) => style.name).join(", ")}.`,
    );
  return found;
}

/** The names of all styles, the default one first. */
export async function outputStyleNames(where: StylePlace): Promise<readonly string[]> {
  const names = [...(await stylesIn(where)), ...BUILT_IN].map(({ name }) => name);
  return ["default", ...new Set(names)];
}

async function stylesIn(where: StylePlace): Promise<OutputStyle[]> {
  const root = await projectRoot(where.cwd);
  const own = [runaheadHome(where), join(where.home, ".claude")];
  const ofProject = where.isTrusted ? [".runahead", ".claude"].map((name) => join(root, name)) : [];
  const plain = [...ofProject, ...own].map((path) => ({ path: join(path, "output-styles"), prefix: "" }));
  const found = await Promise.all([...plain, ...where.more].map(folderStyles));
  return found.flat();
}

async function folderStyles({ path, prefix }: DefinitionFolder): Promise<OutputStyle[]> {
  const files = await markdownBelow(path);
  const read = await Promise.all(
    files.map(async (file): Promise<OutputStyle[]> => {
      const text = await readText(file);
      if (text.type !== "text") return [];
      const fields = new Fields(text.text, file, TABLE);
      const name = fields.text("name") ?? basename(file, ".md");
      const keepsCoding = fields.flag("keep-coding-instructions") ?? false;
      const style = { name: `${prefix}${name}`, text: fields.body.trim(), keepsCoding };
      const byFile = basename(file, ".md");
      return byFile === name ? [style] : [style, { ...style, name: `${prefix}${byFile}` }];
    }),
  );
  return read.flat();
}
