/** Recognises that a server wants a login, and says how to log in. */

import { SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { NeedsLogin } from "./oauth.ts";
import type { OpenSpec } from "./open-spec.ts";

/** Returns the error for a server that wants a login. */
export function needsLogin(
  error: unknown,
  { entry, credentials }: Pick<OpenSpec, "entry" | "credentials">,
): NeedsLogin | undefined {
  const status = error instanceof SdkHttpError ? error.status : 0;
  const isRefused = status === 401 || status === 403;
  if (!isRefused && !(error instanceof UnauthorizedError) && !(error instanceof NeedsLogin)) return undefined;
  const what = isRefused ? ` (HTTP ${status})` : "";
  const login = credentials === undefined ? "" : `run \`runahead mcp login ${entry.name}\`, or `;
  return new NeedsLogin(
    `it requires authentication${what}: ${login}add a token as a header in ${entry.path}`,
  );
}
