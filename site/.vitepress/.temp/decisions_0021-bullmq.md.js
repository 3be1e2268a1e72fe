import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0021 Tools on other machines with BullMQ","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0021-bullmq.md","filePath":"decisions/0021-bullmq.md"}');
const _sfc_main = { name: "decisions/0021-bullmq.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0021-tools-on-other-machines-with-bullmq" tabindex="-1">0021 Tools on other machines with BullMQ <a class="header-anchor" href="#0021-tools-on-other-machines-with-bullmq" aria-label="Permalink to &quot;0021 Tools on other machines with BullMQ&quot;">​</a></h1><p><code>bullmq</code> 6.7.0 on Redis 7 with <code>ioredis</code> 6.0.0 hands each job to one worker, wakes workers at once and survives restarts. Of the queues that we tried, it is the fastest that keeps jobs (a millisecond to start one), and many people run Redis. NATS is faster, but leaves jobs, stalls and results to us; Restate and DBOS take several milliseconds or poll; BullMQ on Postgres lost events. <code>zod</code> validates messages. <code>msgpackr-extract</code> stays at 3.0.4, the last version with all platform packages.</p><p>BullMQ has one job: hand a call to one worker, once. The rest is ours, because its own features promise less or cost more:</p><ul><li><strong>One queue, no retries by BullMQ</strong> (<code>maxStalledCount: 0</code>, one attempt). Only the caller knows whether a call can run again, and it is alive as long as anybody wants the answer. It sends a call that only reads again under another id.</li><li><strong>Answers go to a mailbox of the caller</strong> (a stream with a last-read position) before the job is completed, not over BullMQ&#39;s events, which go to every caller and are missed by late readers. A round trip is shorter than with <code>waitUntilFinished</code>, and a job that is gone without an answer in the mailbox has not completed.</li><li><strong>Our own heartbeat, once a second, says which worker has a call</strong>, not BullMQ&#39;s lock: a lock that was lost while the server was away cannot be taken again, although the worker still runs the call and will answer it.</li><li><strong>A call that writes carries the run id of the server.</strong> A server that crashes can lose its last second, and with it the fact that a call had started. A worker does not start a writing call that was queued in another run of the server.</li><li><strong>&quot;Not started&quot; is proved, not guessed</strong>: a script removes a call from the queue only if no worker ever took it. The script uses two of BullMQ&#39;s keys, so the version is pinned.</li><li><code>maxRetriesPerRequest: 0</code> for a caller&#39;s commands: <code>autoResendUnfulfilledCommands: false</code> of ioredis drops them without an answer, and a command that is sent twice can be executed twice.</li></ul><p>The heartbeat runs in the worker&#39;s own event loop and not in a thread, because a worker that hangs must not look alive.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0021-bullmq.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0021Bullmq = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0021Bullmq as default
};
