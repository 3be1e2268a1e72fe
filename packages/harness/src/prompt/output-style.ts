/** Output styles: texts that change how the agent answers. */

import { basename, join } from "node:path";
import { DESCRIPTIVE, Fields, type FieldTable } from "../definitions/fields.ts";
import { type DefinitionFolder, markdownBelow } from "../settings/agents.ts";
import { runaheadHome } from "../home.ts";
import type { Problem } from "../settings/setting.ts";
import { type Where, projectFolders } from "../settings/place.ts";
import { readText } from "../settings/read.ts";

/** An output style. */
export interface OutputStyle {
  readonly name: string;
  /** What the model reads. */
  readonly text: string;
  /** Whether the usual instructions for work on code stay. */
  readonly keepsCoding: boolean;
}

/** A style of a file. */
interface FoundStyle extends OutputStyle {
  readonly path: string;
  /** Whether its plugin applies it without being asked. */
  readonly isForced: boolean;
  readonly problems: readonly Problem[];
}

export const STYLE_TABLE: FieldTable = {
  used: ["name", "keep-coding-instructions", "force-for-plugin"],
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

/**
 * Finds a style by name. `default` is none; an unknown name is reported. A style that an enabled plugin forces comes before
 * the named one.
 */
export async function outputStyle(
  name: string | undefined,
  where: StylePlace,
  onNotice: (message: string) => void,
): Promise<OutputStyle | undefined> {
  const isPlain = name === undefined || /^default$/i.test(name);
  const ofPlugins = where.more.length > 0;
  if (isPlain && !ofPlugins) return undefined;
  const own = await stylesIn(where);
  const forced = own.find(({ isForced }) => isForced);
  if (forced !== undefined) {
    const isOther = !isPlain && forced.name.toLowerCase() !== name.toLowerCase();
    if (isOther) onNotice(`outputStyle: the plugin style ${forced.name} is used instead of ${name}.`);
    return reported(forced, onNotice);
  }
  if (isPlain) return undefined;
  const isNamed = (style: OutputStyle): boolean => style.name.toLowerCase() === name.toLowerCase();
  const found = own.find(isNamed);
  if (found !== undefined) return reported(found, onNotice);
  const builtIn = BUILT_IN.find(isNamed);
  if (builtIn === undefined) {
    const names = [...own, ...BUILT_IN].map((style) => style.name);
    onNotice(`outputStyle: there is no style ${name}. Styles: default, ${names.join(", ")}.`);
  }
  return builtIn;
}

function reported(
  { name, text, keepsCoding, problems }: FoundStyle,
  onNotice: (message: string) => void,
): OutputStyle {
  for (const { severity, message } of problems) if (severity !== "note") onNotice(message);
  return { name, text, keepsCoding };
}

/** Reads a style; in a plugin, the prefix is its name. */
export function styleIn(text: string, path: string, prefix = ""): FoundStyle {
  const fields = new Fields(text, path, STYLE_TABLE);
  const name = fields.text("name") ?? basename(path, ".md");
  const keepsCoding = fields.flag("keep-coding-instructions") ?? false;
  const isForced = fields.flag("force-for-plugin") ?? false;
  if (isForced && prefix === "")
    fields.report(
      "note",
      "force-for-plugin",
      "has an effect only in a plugin: select the style with outputStyle",
    );
  return {
    name: `${prefix}${name}`,
    text: fields.body.trim(),
    keepsCoding,
    isForced: isForced && prefix !== "",
    path,
    problems: fields.problems,
  };
}

/** The names of all styles, the default one first. */
export async function outputStyleNames(where: StylePlace): Promise<readonly string[]> {
  const names = [...(await stylesIn(where)), ...BUILT_IN].map(({ name }) => name);
  return ["default", ...new Set(names)];
}

/** All styles of files, those of the project first. */
export async function stylesIn(where: StylePlace): Promise<FoundStyle[]> {
  const folders = where.isTrusted ? await projectFolders(where.cwd) : [];
  const own = [runaheadHome(where), join(where.home, ".claude")];
  const ofProject = folders.flatMap((folder) => [".runahead", ".claude"].map((name) => join(folder, name)));
  const plain = [...ofProject, ...own].map((path) => ({ path: join(path, "output-styles"), prefix: "" }));
  const found = await Promise.all([...plain, ...where.more].map(folderStyles));
  return found.flat();
}

async function folderStyles({ path, prefix }: DefinitionFolder): Promise<FoundStyle[]> {
  const files = await markdownBelow(path);
  const read = await Promise.all(
    files.map(async (file): Promise<FoundStyle[]> => {
      const text = await readText(file);
      if (text.type !== "text") return [];
      const style = styleIn(text.text, file, prefix);
      const byFile = `${prefix}${basename(file, ".md")}`;
      return byFile === style.name ? [style] : [style, { ...style, name: byFile }];
    }),
  );
  return read.flat();
}
