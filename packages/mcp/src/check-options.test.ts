import { expect, test } from "vitest";
import { connectMcp } from "./connect.ts";
import { loginMcp } from "./login.ts";

const onNotice = (): void => {};
const stdio = { type: "stdio", command: "mcp-files", args: ["."], env: {} };
const found = { name: "files", path: "settings.json", trusted: false, server: stdio };

/** Options that a program without types can give, and what is answered. */
const WRONG: readonly (readonly [options: unknown, said: string])[] = [
  [undefined, "connectMcp must be given an object, got undefined."],
  [[found], "connectMcp must be given an object, got an array."],
  [{ files: stdio }, 'connectMcp: unknown option "files".'],
  [{ server: [found], onNotice }, 'connectMcp: unknown option "server". Did you mean "servers"?'],
  [{ servers: [] }, 'connectMcp: "onNotice" is required.'],
  [{ servers: { files: stdio }, onNotice }, 'connectMcp: "servers" must be an array, got an object (files).'],
  [{ servers: [], onNotice, limits: { callsMs: 1 } }, 'unknown option "callsMs". Did you mean "callMs"?'],
  [{ servers: [{ ...found, name: undefined }], onNotice }, 'connectMcp: servers[0]: "name" is required.'],
  [
    { servers: [found, { name: "other", path: "", server: stdio, trustd: true }], onNotice },
    'connectMcp: servers[1]: unknown member "trustd". Did you mean "trusted"?',
  ],
  [{ servers: [{ ...found, trusted: "yes" }], onNotice }, '"trusted" must be true or false, got "yes".'],
  [{ servers: [{ ...found, server: "mcp-files" }], onNotice }, '"server" must be an object such as'],
  [
    { servers: [{ ...found, server: { command: "mcp-files" } }], onNotice },
    'connectMcp: servers[0]: "server": "type" is required.',
  ],
  [{ servers: [{ ...found, server: { ...stdio, type: "studio" } }], onNotice }, 'Did you mean "stdio"?'],
  [
    { servers: [{ ...found, server: { ...stdio, args: "." } }], onNotice },
    '"args" must be an array of strings',
  ],
  [{ servers: [{ ...found, server: { type: "http" } }], onNotice }, '"server": "url" is required.'],
];

test.each(WRONG)("options %o are refused", (options, said) => {
  expect(() => connectMcp(options as never)).toThrow(TypeError);
  expect(() => connectMcp(options as never)).toThrow(said);
});

test("a server can have members of the program's own", async () => {
  await connectMcp({ servers: [{ ...found, origin: "plugin" } as typeof found as never], onNotice }).close();
});

test("a login without an address or a place for its tokens is refused", async () => {
  await expect(loginMcp(undefined as never)).rejects.toThrow("loginMcp must be given an object");
  await expect(loginMcp({ url: "https://example.org/mcp" } as never)).rejects.toThrow(
    'loginMcp: "credentials" is required.',
  );
});
