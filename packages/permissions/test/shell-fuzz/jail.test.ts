import { expect, test } from "vitest";
import type { Deed } from "./jail.ts";
import { useJail } from "./use-jail.ts";

const jail = useJail();

async function doing(command: string): Promise<Deed> {
  return (await jail().run([command]))[0] as Deed;
}

/** Programs with their arguments, sorted, because they do not always run one after the other. */
const programs = ({ ran }: Deed): string[] =>
  ran.map(({ program, args }) => [program, ...args].join(" ")).toSorted();
const changes = ({ changed }: Deed): string[] => changed.map(({ path, how }) => `${how} ${path}`);

test("programs are recorded with all of their arguments, folder and variables", async () => {
  const deed = await doing("cd sub && LD_PRELOAD=./x.so cat $'a\\nb' '' 'c d'");
  expect(deed.ran.map(({ program, folder, args }) => [program, folder, args])).toEqual([
    ["/usr/bin/cat", "/home/u/proj/sub", ["a\nb", "", "c d"]],
  ]);
  expect(deed.ran[0]?.environment).toContain("LD_PRELOAD=./x.so");
});

test("child processes are recorded, and so are programs that do not exist", async () => {
  const commands = [
    "timeout 5 nice cat a.txt",
    "find a.txt -exec rm {} \\;",
    "echo a.txt | xargs rm",
    "sed -n '1e touch stolen' a.txt",
    "awk 'BEGIN{system(\"touch stolen\")}'",
    "PATH=. ls",
    "nosuch thing",
    "git -c core.fsmonitor=./run.sh status | cat",
  ];
  const deeds = await jail().run(commands);
  expect(deeds.slice(0, 7).map(programs)).toEqual([
    ["/usr/bin/cat a.txt", "/usr/bin/nice cat a.txt", "/usr/bin/timeout 5 nice cat a.txt"],
    ["/usr/bin/find a.txt -exec rm {} ;", "/usr/bin/rm a.txt"],
    ["/usr/bin/rm a.txt", "/usr/bin/xargs rm"],
    ["/bin/sh -c touch stolen", "/usr/bin/sed -n 1e touch stolen a.txt", "/usr/bin/touch stolen"],
    ["/bin/sh -c touch stolen", '/usr/bin/awk BEGIN{system("touch stolen")}', "/usr/bin/touch stolen"],
    ["./ls"],
    ["nosuch thing"],
  ]);
  expect(deeds[7]?.ran.some(({ program }) => program === "./run.sh")).toBe(true);
});

test("changes are recorded, including late ones and those outside the workspace, and are reset for the next command", async () => {
  const deeds = await jail().run([
    "echo x > stolen; rm b.txt; chmod 600 a.txt; echo y >> notes.md",
    "echo x > ../stolen; echo x > .link/f.txt; touch /tmp/x",
    "{ seq 90000 | sort > /dev/null; touch late; } >/dev/null 2>&1 &",
    "ls stolen b.txt late",
  ]);
  expect(deeds.map(changes)).toEqual([
    [
      "changed /home/u/proj/a.txt",
      "removed /home/u/proj/b.txt",
      "changed /home/u/proj/notes.md",
      "made /home/u/proj/stolen",
    ],
    ["changed /home/u/outside/f.txt", "made /home/u/stolen", "made /tmp/x"],
    ["made /home/u/proj/late"],
    [],
  ]);
  expect(deeds[3]?.output).toBe("b.txt\n");
});

test("a command that does not end is killed, and the jail has no network and no files of the host", async () => {
  const deeds = await jail().run(["while true; do :; done", "cat /proc/net/dev", "echo /* /home/*"]);
  expect(deeds.map(({ isCut }) => isCut)).toEqual([true, false, false]);
  expect(deeds[1]?.output.match(/^ *\w+:/gm)).toEqual(["    lo:"]);
  expect(
    deeds[2]?.output.split(/\s+/).filter((path) => !/^\/(?:lib\w*|usr|bin)?$/.test(path) && path !== ""),
  ).toEqual(["/dev", "/home", "/jail", "/log", "/proc", "/real", "/tmp", "/home/u"]);
});
