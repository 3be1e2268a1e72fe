/** What we are as a client: what we support, and our answers to requests of servers. */

import { isShape } from "@runahead/base";
import { uriOf } from "./protocol.ts";

export const CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  window: { workDoneProgress: true },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: false },
    symbol: {},
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true, relatedInformation: false },
    diagnostic: { dynamicRegistration: false, relatedDocumentSupport: false },
    definition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    hover: { contentFormat: ["markdown", "plaintext"] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
  },
  // rust-analyzer reports when it has loaded the project.
  experimental: { serverStatusNotification: true },
};

interface Around {
  readonly root: string;
  readonly settings: unknown;
}

/** Returns undefined for methods that we do not support. Servers change nothing through us. */
export function answerTo(method: string, params: unknown, { root, settings }: Around): unknown {
  switch (method) {
    case "workspace/configuration":
      return itemsOf(params).map((item) => sectionOf(settings, isShape(item) ? item["section"] : undefined));
    case "workspace/workspaceFolders":
      return [{ uri: uriOf(root), name: "workspace" }];
    case "workspace/applyEdit":
      return { applied: false, failureReason: "this client is read-only" };
    case "window/showDocument":
      return { success: false };
    case "client/registerCapability":
    case "client/unregisterCapability":
    case "window/showMessageRequest":
    case "window/workDoneProgress/create":
    case "workspace/diagnostic/refresh":
    case "workspace/semanticTokens/refresh":
    case "workspace/inlayHint/refresh":
    case "workspace/codeLens/refresh":
      return null;
    default:
      return undefined;
  }
}

function itemsOf(params: unknown): readonly unknown[] {
  const { items } = isShape(params) ? params : {};
  return Array.isArray(items) ? (items as unknown[]) : [];
}

/** The part of the settings that a dotted name leads to; null if there is none. */
function sectionOf(settings: unknown, section: unknown): unknown {
  if (typeof section !== "string" || section === "") return settings ?? null;
  if (isShape(settings) && Object.hasOwn(settings, section)) return settings[section];
  let at: unknown = settings;
  for (const name of section.split(".")) at = isShape(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at ?? null;
}
