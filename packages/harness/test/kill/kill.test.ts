import { test } from "vitest";
import { expectSessionsSurvive } from "./killing.ts";

test(
  "G01, G03: sessions that are killed at any moment lose no finished result, run no writing call twice, and continue",
  {
    timeout: 120_000,
  },
  () => expectSessionsSurvive(10),
);
