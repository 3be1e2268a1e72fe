/** Waits until something is so, and not for ever. */

const MOST_MS = 60_000;
const LOOK_MS = 10;

export async function until(isSo: () => boolean | Promise<boolean>, what = "it to happen"): Promise<void> {
  const limit = performance.now() + MOST_MS;
  while (!(await isSo())) {
    if (performance.now() > limit) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
