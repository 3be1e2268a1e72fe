import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0021 Tools on other machines with BullMQ","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0021-bullmq.md","filePath":"decisions/0021-bullmq.md"}');
const _sfc_main = { name: "decisions/0021-bullmq.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0021-tools-on-other-machines-with-bullmq" tabindex="-1">0021 Tools on other machines with BullMQ <a class="header-anchor" href="#_0021-tools-on-other-machines-with-bullmq" aria-label="Permalink to &quot;0021 Tools on other machines with BullMQ&quot;">​</a></h1><p><code>bullmq</code> 6.7.0 on Redis 7 with <code>ioredis</code> 6.0.0 gives each job to one worker, wakes workers at once and survives restarts: of the engines that were tried it is the fastest that keeps jobs (a millisecond to start one), and Redis is what people have. NATS is faster, but would have left jobs, stalls and results to us; Restate and DBOS take several milliseconds or poll; BullMQ on Postgres lost events. <code>zod</code> checks what comes off the wire. <code>msgpackr-extract</code> stays at 3.0.4, the last with all its platform packages.</p><p>What the engine does is only: hand a call to one worker, once. The rest is ours, since its own ways promise less or cost more:</p><ul><li><strong>One queue, never a retry by the engine</strong> (<code>maxStalledCount: 0</code>, one attempt). Whether a call may run again is known to the caller, who is alive as long as anybody wants the answer: it sends a call that only reads again under another id.</li><li><strong>Answers go to a mailbox of the caller</strong> (a stream with a last-read position), before the job is completed, not over the engine&#39;s events: those go to every caller, and who reads them late misses them. It makes a round trip shorter than the engine&#39;s own <code>waitUntilFinished</code>, and a job that is gone without an answer in the mailbox has not completed.</li><li><strong>Who holds a call is said by our own beat</strong>, once a second, not by the engine&#39;s lock: a lock that was lost while the server was away cannot be taken again, though the worker still runs the call and will answer it.</li><li><strong>A call that writes carries the server&#39;s run id.</strong> A server that crashes may forget its last second, and with it that a call had begun. A worker does not begin a writing call that was given to another start of the server.</li><li><strong>Not begun is proved, not guessed</strong>: one script takes a call out of the queue only if no worker ever took it. It knows two of the engine&#39;s keys, so the version is exact.</li><li><code>maxRetriesPerRequest: 0</code> for a caller&#39;s commands: <code>autoResendUnfulfilledCommands: false</code> of ioredis drops them without an answer, and a command that is sent twice may be done twice.</li></ul><p>The beat runs in the worker&#39;s own event loop, not in a thread: a worker that hangs must not look alive.</p></div>`);
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
