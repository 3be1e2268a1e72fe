/**
 * The program of the thread that runs a script: a JavaScript engine compiled to WebAssembly, without a file system, a
 * network or timers. Only strings pass between the script and the thread, and only plain data between the threads.
 */

/** Evaluated before the script. It keeps the functions that it needs, because the script can replace all of them. */
const PRELUDE = `
((call, print, names) => {
  const { parse, stringify } = JSON;
  const { create, freeze, defineProperty } = Object;
  const toText = String;
  const caller = (name) =>
    freeze((input) => call(name, stringify(input === undefined ? {} : input)).then((json) => parse(json)));
  const known = create(null);
  for (const name of names) known[name] = caller(name);
  // A tool that does not exist can be called too: the error of the call names those that exist.
  const tools = new Proxy(freeze(known), {
    get: (target, name) => {
      if (typeof name !== "string" || name in target || name === "then" || name === "toJSON") return target[name];
      return caller(name);
    },
  });
  const shown = (value) => {
    if (typeof value === "string") return value;
    try {
      return stringify(value) ?? toText(value);
    } catch {
      return toText(value);
    }
  };
  const log = freeze((...values) => print(values.map(shown).join(" ")));
  const console = freeze({ log, info: log, warn: log, error: log, debug: log });
  for (const [name, value] of [["tools", tools], ["console", console]])
    defineProperty(globalThis, name, { value, enumerable: true });
  return (value) => stringify(value);
})
`;

/** Runs in a worker thread as CommonJS. `workerData` has the paths of the libraries, the compiled interpreter, the script and its limits. */
export const WORKER = `
const { readFileSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");
const { core, variant, wasm, script, names, memoryBytes, stackBytes, cpuMs, mostCalls, mostPrinted, mostChars, mostInputChars } = workerData;
const { newQuickJSWASMModuleFromVariant, newVariant } = require(core);
const PRELUDE = ${JSON.stringify(PRELUDE)};
const post = (message) => parentPort.postMessage(message);

/** The milliseconds that this thread has computed: on a busy machine, far less than the time that passes. */
const threadClock = () => {
  const used = process.threadCpuUsage?.bind(process);
  if (used !== undefined) return () => used().user / 1_000;
  // Node 20 cannot measure it, but Linux can.
  const measured = () => Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ", 1)[0]) / 1e6;
  try {
    if (measured() > 0) return measured;
  } catch {}
  return () => performance.now();
};

const main = async () => {
  const loaded = require(variant);
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(loaded.default ?? loaded, { wasmModule: wasm }));
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(stackBytes);
  const now = threadClock();
  let leftMs = cpuMs;
  let deadline = Infinity;
  // Reading the thread's clock costs more than reading the time, and can only show an excess after as much time.
  let checkAt = 0;
  runtime.setInterruptHandler(() => {
    if (performance.now() < checkAt) return false;
    const left = deadline - now();
    checkAt = performance.now() + left;
    return left < 0;
  });
  const vm = runtime.newContext();
  const waiting = new Map();
  let calls = 0;
  let inputChars = 0;
  let answers = 0;
  let printed = 0;
  let isOver = false;

  /** Runs code of the script; the time that it takes is counted. */
  const slice = (run) => {
    const start = now();
    deadline = start + leftMs;
    checkAt = performance.now() + leftMs;
    try {
      return run();
    } finally {
      leftMs -= now() - start;
    }
  };
  const end = (message) => {
    if (isOver) return;
    isOver = true;
    post(message);
  };
  const refuse = (deferred, message) => {
    const error = vm.newError(message);
    deferred.reject(error);
    error.dispose();
    return deferred.handle;
  };

  const call = vm.newFunction("call", (nameHandle, jsonHandle) => {
    const deferred = vm.newPromise();
    const id = ++calls;
    if (id > mostCalls) return refuse(deferred, "This script has made " + mostCalls + " calls, which is the limit.");
    if (vm.typeof(jsonHandle) !== "string") return refuse(deferred, "The input of a tool must be an object.");
    const name = vm.getString(nameHandle);
    if (name.length > 200) return refuse(deferred, "There is no tool with such a long name.");
    const json = vm.getString(jsonHandle);
    if (json.length > mostChars) return refuse(deferred, "The input is too large.");
    inputChars += json.length;
    if (inputChars > mostInputChars) return refuse(deferred, "The inputs of this script's calls have more than " + mostInputChars + " characters, which is the limit.");
    waiting.set(id, deferred);
    post({ type: "call", id, name, json });
    return deferred.handle;
  });
  const print = vm.newFunction("print", (textHandle) => {
    const text = vm.getString(textHandle);
    const rest = mostPrinted - printed;
    if (rest <= 0) return;
    printed += text.length + 1;
    post({ type: "print", text: text.slice(0, rest) });
  });

  /** What an error of the script says. */
  const said = (handle) => {
    try {
      const error = slice(() => vm.dump(handle));
      const { name = "Error", message, stack = "" } = typeof error === "object" && error !== null ? error : { message: error };
      const at = /script\\.js:(\\d+)/.exec(String(stack));
      const where = at === null ? "" : " (line " + at[1] + ")";
      return (String(name) + ": " + String(message)).slice(0, 10_000) + where;
    } catch {
      return "Error";
    }
  };
  const fail = (handle) => {
    const message = said(handle);
    const isCpu = leftMs <= 0;
    end(isCpu ? { type: "failed", kind: "cpu" } : { type: "failed", kind: "threw", message });
  };

  const namesHandle = vm.unwrapResult(vm.evalCode("(" + JSON.stringify(names) + ")"));
  const prelude = vm.unwrapResult(vm.evalCode(PRELUDE, "prelude.js"));
  const stringify = vm.unwrapResult(vm.callFunction(prelude, vm.undefined, call, print, namesHandle));

  const begun = slice(() => vm.evalCode("(async () => {" + script + "\\n})()", "script.js"));
  if (begun.error) return fail(begun.error);
  const promise = begun.value;

  const finish = (valueHandle) => {
    const made = slice(() => vm.callFunction(stringify, vm.undefined, valueHandle));
    if (made.error) return fail(made.error);
    if (vm.typeof(made.value) !== "string") return end({ type: "returned", json: undefined });
    const json = vm.getString(made.value);
    if (json.length > mostChars) return end({ type: "failed", kind: "large", message: String(json.length) });
    end({ type: "returned", json });
  };

  /** Runs what is due, and looks whether the script has ended. */
  const goOn = () => {
    for (let more = true; more && !isOver; ) {
      const done = slice(() => runtime.executePendingJobs(1_000));
      if (done.error) return fail(done.error);
      if (leftMs <= 0) return end({ type: "failed", kind: "cpu" });
      more = runtime.hasPendingJob();
    }
    if (isOver) return;
    const state = vm.getPromiseState(promise);
    if (state.type === "fulfilled") return finish(state.value);
    if (state.type === "rejected") return fail(state.error);
    if (waiting.size === 0) return end({ type: "failed", kind: "stuck" });
    post({ type: "idle", answers });
  };

  parentPort.on("message", ({ id, ok, json }) => {
    answers++;
    const deferred = waiting.get(id);
    if (deferred === undefined || isOver) return;
    waiting.delete(id);
    try {
      const value = ok ? vm.newString(json) : vm.newError(json);
      if (ok) deferred.resolve(value);
      else deferred.reject(value);
      value.dispose();
      goOn();
    } catch (error) {
      end({ type: "failed", kind: "crashed", message: String(error) });
    }
  });
  goOn();
};

main().catch((error) => post({ type: "failed", kind: "crashed", message: String(error) }));
`;
