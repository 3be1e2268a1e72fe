/** Reads the lists of a server, and keeps the usable entries. */

import type { ListedPrompt, ListedResource, ListedTool } from "./server.ts";
import { isShape, listOf, stringOf } from "@runahead/base";

/** Leaves out entries that cannot be offered to a model, with a notice. */
export function toolsOf(
  result: unknown,
  server: string,
  onNotice: (message: string) => void,
): readonly ListedTool[] {
  const tools: ListedTool[] = [];
  for (const item of listOf(isShape(result) ? result["tools"] : undefined)) {
    const tool = toolOf(item);
    const isTwice = tools.some(({ name }) => name === tool?.name);
    if (tool !== undefined && !isTwice) tools.push(tool);
    else
      onNotice(
        `The MCP server ${server} lists ${isTwice ? `the tool ${tool?.name} twice; the second is ignored.` : "an entry that is not a valid tool; it is ignored."}`,
      );
  }
  return tools;
}

function toolOf(item: unknown): ListedTool | undefined {
  if (!isShape(item)) return undefined;
  const { name, description, title, inputSchema, annotations } = item;
  if (typeof name !== "string" || name === "") return undefined;
  if (inputSchema !== undefined && !isShape(inputSchema)) return undefined;
  return {
    name,
    description: short(stringOf(description, stringOf(title, ""))),
    // Model APIs accept only objects.
    inputSchema: { ...inputSchema, type: "object" },
    annotations: isShape(annotations) ? annotations : {},
    whole: item,
  };
}

/** Descriptions are sent with every request. */
const MOST_DESCRIPTION_CHARS = 8_000;

function short(text: string): string {
  if (text.length <= MOST_DESCRIPTION_CHARS) return text;
  return `${text.slice(0, MOST_DESCRIPTION_CHARS).toWellFormed()}\n[… ${text.length - MOST_DESCRIPTION_CHARS} characters left out]`;
}

export function resourcesOf(listed: unknown, templates: unknown): readonly ListedResource[] {
  const found = listOf(isShape(listed) ? listed["resources"] : undefined).filter(isShape);
  const patterns = listOf(isShape(templates) ? templates["resourceTemplates"] : undefined).filter(isShape);
  return [
    ...found.map((item) => resourceOf(item, item["uri"], false)),
    ...patterns.map((item) => resourceOf(item, item["uriTemplate"], true)),
  ];
}

function resourceOf(
  item: Readonly<Record<string, unknown>>,
  uri: unknown,
  isTemplate: boolean,
): ListedResource {
  return {
    uri: stringOf(uri, ""),
    name: stringOf(item["name"], stringOf(item["title"], "")),
    mimeType: stringOf(item["mimeType"], ""),
    description: stringOf(item["description"], ""),
    isTemplate,
  };
}

export function promptsOf(listed: unknown): readonly ListedPrompt[] {
  const found = listOf(isShape(listed) ? listed["prompts"] : undefined).filter(isShape);
  return found.flatMap((item) => {
    const name = stringOf(item["name"], "");
    if (name === "") return [];
    const args = listOf(item["arguments"])
      .filter(isShape)
      .map((one) => ({
        name: stringOf(one["name"], ""),
        isRequired: one["required"] === true,
      }));
    return [{ name, description: stringOf(item["description"], ""), args }];
  });
}
