/** Waiting that a signal can end. */

/** Resolves when `done` resolves, or earlier when the signal is aborted. */
export async function unless(signal: AbortSignal, done: Promise<void>): Promise<void> {
  if (signal.aborted) return;
  let stop = (): void => {};
  const aborted = new Promise<void>((resolve) => (stop = resolve));
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([done, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
