/**
 * Measures the time of a verdict on a shell command of about 200 characters, with typical settings. Started by run.mjs.
 */

import { createPermissions } from "@runahead/permissions";
import { answer } from "./answer.mjs";

const WARM_UP = 2_000;
const SAMPLES = 20_000;

const COMMANDS = [
  "cd packages/agent && npm run test -- --run src/permission/permissions.test.ts --reporter=verbose 2>&1 | grep -E 'passed|failed' | tail -n 20 && git status --short && git diff --stat HEAD~1 -- packages/tools/src",
  "for file in src/a.ts src/b.ts src/c.ts; do echo \"== $file\"; sed -n '1,40p' \"$file\" | grep -n 'export' | head -n 5; done; find . -name '*.test.ts' -not -path './node_modules/*' | sort | wc -l; git log --oneline -n 3",
  "git log --since='2 weeks ago' --pretty=format:'%h %an %s' -- packages/engine/src | grep -v 'Merge' | awk '{print $2}' | sort | uniq -c | sort -rn | head -n 10; rg --files -g '*.ts' packages/engine/src | wc -l; ls -la",
  "timeout 60 npm run build --workspaces --if-present && node --check packages/cli/bin/runahead.mjs && test -f packages/cli/dist/main.js && echo 'built' || (echo 'failed to build, see the log above' && tail -n 50 build.log)",
];

const SETTINGS = {
  permissions: {
    allow: [
      "Bash(npm run:*)",
      "Bash(git log:*)",
      "Bash(git diff:*)",
      "Bash(node --check *)",
      "Read(/src/**)",
    ].concat(Array.from({ length: 60 }, (_, at) => `Bash(tool-${at} run *)`)),
    ask: Array.from({ length: 20 }, (_, at) => `Bash(deploy-${at}:*)`),
    deny: ["Read(.env)", "Read(~/.ssh/**)", "Bash(curl:*)", "Bash(rm -rf *)"].concat(
      Array.from({ length: 30 }, (_, at) => `Bash(danger-${at}:*)`),
    ),
  },
};

function measure() {
  const permissions = createPermissions({ settings: SETTINGS, cwd: process.cwd(), home: "/home/somebody" });
  const decide = (at) => permissions.decide("Bash", { command: COMMANDS[at % COMMANDS.length] });
  for (let at = 0; at < WARM_UP; at++) decide(at);
  const times = [];
  for (let at = 0; at < SAMPLES; at++) {
    const begun = performance.now();
    decide(at);
    times.push((performance.now() - begun) * 1_000);
  }
  times.sort((one, other) => one - other);
  const chars = Math.round(COMMANDS.join("").length / COMMANDS.length);
  return { samples: SAMPLES, chars, p50Us: times[SAMPLES >> 1], p99Us: times[Math.floor(SAMPLES * 0.99)] };
}

answer(measure);
