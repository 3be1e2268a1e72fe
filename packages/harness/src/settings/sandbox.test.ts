import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { explain } from "./explain.ts";
import { acceptedByTrust } from "../trust/accepted.ts";
import { trustIn } from "../trust/trust.ts";
import { loadSettings } from "./load.ts";

afterEach(removeWorlds);

const NOTHING = {
  isOn: undefined,
  mayRunUnasked: true,
  allowedDomains: [],
  deniedDomains: [],
  allowWrite: [],
  denyWrite: [],
  denyRead: [],
  allowRead: [],
  excludedCommands: [],
  unixSockets: [],
  isRequired: true,
  isNested: false,
  confinesReads: true,
  passEnv: [],
};
const OWN = "home/.claude/settings.json";
const PROJECT = "project/.claude/settings.json";

test("sandbox settings: lists are merged, the highest source wins for a switch, and paths are relative to their file", async () => {
  const world = await newWorld();
  await world.write(OWN, {
    sandbox: {
      enabled: false,
      network: { allowedDomains: ["a.com", "*.b.com:8080"], deniedDomains: ["x.b.com"] },
      filesystem: { allowWrite: ["~/cache", "//var/build"], denyRead: ["notes"] },
      confineReads: false,
      passEnv: ["OTHER"],
    },
    passEnv: ["OPENAI_API_KEY"],
  });
  await world.write(PROJECT, {
    sandbox: {
      enabled: true,
      autoAllowBashIfSandboxed: false,
      network: { allowedDomains: ["c.com", "a.com"], allowLocalBinding: true },
      filesystem: { denyWrite: ["./locks", "/etc/x"] },
    },
  });
  const loaded = await loadSettings({ ...world.options, isTrusted: true });
  expect(loaded.sandbox).toEqual({
    ...NOTHING,
    isOn: true,
    mayRunUnasked: false,
    allowedDomains: ["c.com", "a.com", "*.b.com:8080"],
    deniedDomains: ["x.b.com"],
    allowWrite: ["~/cache", "/var/build"],
    denyWrite: [join(world.project, "locks"), "/etc/x"],
    denyRead: [join(world.home, ".claude/notes")],
    confinesReads: false,
    passEnv: ["OTHER"],
  });
  expect(loaded.passEnv).toEqual(["OPENAI_API_KEY"]);
  expect(loaded.problems).toEqual([]);
  const enabled = explain(loaded).values.filter(({ key }) => key === "sandbox.enabled");
  expect(enabled.map(({ value, status }) => [value, status.type])).toEqual([
    [true, "in-force"],
    [false, "shadowed"],
  ]);
});

test("D17: an untrusted folder cannot weaken the sandbox or turn it on or off, but what it denies applies", async () => {
  const world = await newWorld();
  await world.write(PROJECT, {
    sandbox: {
      enabled: true,
      network: { allowedDomains: ["evil.com"], deniedDomains: ["a.com"] },
      filesystem: { allowWrite: ["/etc"], denyWrite: ["/w"], denyRead: ["/r"] },
      confineReads: false,
      passEnv: ["PGPASSWORD"],
    },
    passEnv: ["OPENAI_API_KEY"],
  });
  const { sandbox, passEnv } = await loadSettings(world.options);
  expect(passEnv).toEqual([]);
  expect(sandbox).toEqual({ ...NOTHING, deniedDomains: ["a.com"], denyWrite: ["/w"], denyRead: ["/r"] });
});

test("class 10: a trusted repository cannot weaken the sandbox or pass on variables, and can tighten it", async () => {
  const world = await newWorld();
  await world.write(OWN, { sandbox: { enabled: true, autoAllowBashIfSandboxed: false } });
  await mkdir(join(world.project, "out"));
  await symlink(world.home, join(world.project, "link"));
  const allowWrite = [
    "out",
    "new/deep",
    "~/x",
    "~",
    "~other",
    "/",
    "..",
    "../x",
    "link",
    "link/new",
    world.home,
  ];
  const hostile = {
    passEnv: ["ANTHROPIC_API_KEY"],
    sandbox: {
      enabled: false,
      autoAllowBashIfSandboxed: true,
      confineReads: false,
      passEnv: ["PGPASSWORD"],
      filesystem: { allowWrite },
    },
  };
  for (const file of ["settings.json", "settings.local.json"]) {
    await world.write(`project/.claude/${file}`, hostile);
    const { sandbox, passEnv, problems } = await loadSettings({ ...world.options, isTrusted: true });
    expect(sandbox).toEqual({
      ...NOTHING,
      isOn: true,
      mayRunUnasked: false,
      allowWrite: ["out", "new/deep"].map((name) => join(world.project, name)),
    });
    expect(passEnv).toEqual([]);
    expect(problems.filter(({ path }) => path.endsWith(file))).toHaveLength(14);
  }
  await world.write(OWN, {});
  await world.write("project/.claude/settings.local.json", {});
  await world.write(PROJECT, { sandbox: { enabled: true, autoAllowBashIfSandboxed: true } });
  const fine = await loadSettings({ ...world.options, isTrusted: true });
  expect([fine.sandbox.isOn, fine.sandbox.mayRunUnasked, fine.problems]).toEqual([true, true, []]);
});

const ASKED = {
  permissions: { defaultMode: "bypassPermissions" },
  passEnv: ["OPENAI_API_KEY"],
  sandbox: {
    enabled: true,
    excludedCommands: ["git", "docker *"],
    failIfUnavailable: false,
    enableWeakerNestedSandbox: true,
    network: { allowUnixSockets: ["/run/docker.sock"], allowAllUnixSockets: true },
    filesystem: { allowWrite: ["~/cache"], allowRead: ["~/.ssh/config", "own"] },
  },
};

test("class 1: a repository's weaker settings take effect only if the user accepted exactly these values", async () => {
  const world = await newWorld();
  await world.write(PROJECT, ASKED);
  const trust = trustIn(world.options);
  const untrusted = await loadSettings(world.options);
  expect(untrusted.problems).toEqual([]);
  const accepted = acceptedByTrust(untrusted);
  expect(accepted).toContain('permissions.defaultMode "bypassPermissions"');
  expect(accepted).not.toContain('sandbox.filesystem.allowRead "own"');
  await trust.trust(world.project);
  const trusted = await loadSettings(world.options);
  expect([trusted.mode, trusted.sandbox.excludedCommands, trusted.passEnv]).toEqual(["default", [], []]);
  expect(trusted.problems).toHaveLength(accepted.length);
  expect(trusted.problems[0]?.message).toContain("or run `runahead trust --accept` to accept this value");
  await trust.trust(world.project, accepted);
  const whole = await loadSettings(world.options);
  expect(whole.problems).toEqual([]);
  expect(whole.mode).toBe("bypassPermissions");
  expect(whole.passEnv).toEqual(["OPENAI_API_KEY"]);
  expect(whole.sandbox).toMatchObject({
    excludedCommands: ["git", "docker *"],
    isRequired: false,
    isNested: true,
    unixSockets: "all",
    allowWrite: ["~/cache"],
    allowRead: ["~/.ssh/config", join(world.project, "own")],
  });
  await world.write(PROJECT, { ...ASKED, sandbox: { ...ASKED.sandbox, excludedCommands: ["bash"] } });
  const changed = await loadSettings(world.options);
  expect(changed.sandbox.excludedCommands).toEqual([]);
  expect(changed.problems.map(({ key }) => key)).toEqual(["sandbox.excludedCommands"]);
  await trust.revoke(world.project);
  await trust.trust(world.project);
  expect((await loadSettings(world.options)).mode).toBe("default");
});

test("class 1: managed settings can reserve hosts and readable paths", async () => {
  const world = await newWorld();
  const reserved = {
    network: { allowManagedDomainsOnly: true, allowedDomains: ["m.com"] },
    filesystem: { allowManagedReadPathsOnly: true, allowRead: ["/m"] },
  };
  await world.write("managed.json", { sandbox: reserved });
  await world.write(OWN, {
    permissions: { allow: ["WebFetch(domain:u.com)", "Read"] },
    sandbox: { ...reserved, network: { allowedDomains: ["u.com"] }, filesystem: { allowRead: ["/u"] } },
  });
  const { sandbox, sources, problems } = await loadSettings(world.options);
  expect([sandbox.allowedDomains, sandbox.allowRead]).toEqual([["m.com"], ["/m"]]);
  expect(sources.flatMap(({ allow }) => allow)).toEqual(["Read"]);
  expect(problems).toEqual([]);
});

test("D05: while a file cannot be read, nothing runs without a question and no host is allowed", async () => {
  const world = await newWorld();
  await world.write(OWN, { sandbox: { enabled: true, network: { allowedDomains: ["a.com"] } } });
  await world.write("managed.json", "{");
  const { sandbox } = await loadSettings(world.options);
  expect(sandbox).toEqual({ ...NOTHING, isOn: true, mayRunUnasked: false });
});

test("an invalid sandbox entry is ignored alone, and an unknown one is reported", async () => {
  const world = await newWorld();
  const path = await world.write(OWN, {
    sandbox: {
      enabled: "yes",
      socatPath: "/usr/bin/socat",
      failIfUnavailble: true,
      network: { allowedDomains: ["https://a.com", 7, "b.com", "c.com:99999"], deniedDomains: "d.com" },
      filesystem: ["/x"],
    },
  });
  const { sandbox, problems, other } = await loadSettings(world.options);
  expect(sandbox).toEqual({ ...NOTHING, allowedDomains: ["b.com"], deniedDomains: ["d.com"] });
  const left = "this entry is ignored";
  const host = 'expected a host such as "example.com", "*.example.com" or "localhost:3000"';
  expect(problems.map(({ severity, message }) => [severity, message])).toEqual([
    ["error", `${path}: sandbox.enabled: expected true or false, found "yes"; ${left}`],
    ["warning", `${path}: sandbox.socatPath: has no effect here: the sandbox has its own proxy`],
    [
      "warning",
      `${path}: sandbox.failIfUnavailble: unknown setting; it has no effect. Did you mean "failIfUnavailable"?`,
    ],
    ["error", `${path}: sandbox.network.allowedDomains[0]: "https://a.com": ${host}; ${left}`],
    ["error", `${path}: sandbox.network.allowedDomains[1]: expected a domain, found 7; ${left}`],
    [
      "error",
      `${path}: sandbox.network.allowedDomains[3]: "c.com:99999": 99999 is not a valid port (at most 65535); ${left}`,
    ],
    ["note", `${path}: sandbox.network.deniedDomains: is read as ["d.com"]`],
    ["error", `${path}: sandbox.filesystem: expected an object, found ["/x"]; ${left}`],
  ]);
  expect(other.get("sandbox.socatPath")?.map(({ value }) => value)).toEqual(["/usr/bin/socat"]);
});

test("class 1: a repository reveals nothing that the user's own settings can hide, unless the user accepts it", async () => {
  const world = await newWorld();
  await world.write(OWN, { sandbox: { filesystem: { denyRead: [join(world.project, "keys")] } } });
  await world.write(PROJECT, { sandbox: { filesystem: { allowRead: ["keys"] } } });
  const loaded = await loadSettings({ ...world.options, isTrusted: true });
  expect(loaded.sandbox.allowRead).toEqual([]);
  expect(acceptedByTrust(loaded)).toEqual(['sandbox.filesystem.allowRead "keys"']);
});
