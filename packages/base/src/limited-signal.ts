/**
 * A signal that is aborted with another one or after a time. Node 20 can forget `AbortSignal.timeout` inside
 * `AbortSignal.any` when it collects garbage, and then the limit never ends.
 */
export function limitedSignal(signal: AbortSignal, limitMs: number): AbortSignal {
  const made = new AbortController();
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    made.abort(signal.aborted ? signal.reason : new DOMException("The time is over.", "TimeoutError"));
  };
  const timer = setTimeout(stop, limitMs).unref();
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return made.signal;
}
