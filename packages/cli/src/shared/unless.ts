/** Waiting that can be ended. */

/** Comes back when it is done, or early when the signal is aborted. */
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
