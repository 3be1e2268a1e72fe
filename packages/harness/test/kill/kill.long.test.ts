import { test } from "vitest";
import { expectSessionsSurvive } from "./killing.ts";

test(
  "G01, G03: 200 kills lose no finished result and run no writing call twice",
  {
    timeout: 900_000,
  },
  () => expectSessionsSurvive(200),
);
