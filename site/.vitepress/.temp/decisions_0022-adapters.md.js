import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0022 Adapters","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0022-adapters.md","filePath":"decisions/0022-adapters.md"}');
const _sfc_main = { name: "decisions/0022-adapters.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0022-adapters" tabindex="-1">0022 Adapters <a class="header-anchor" href="#0022-adapters" aria-label="Permalink to &quot;0022 Adapters&quot;">​</a></h1><p><strong>By their interfaces.</strong> <code>early</code> and <code>runWith</code> import neither the AI SDK nor the providers&#39; SDKs. <code>runWith</code> derives the types of events and messages from the client&#39;s own <code>create</code>, so each version of an SDK brings its own. The SDKs are development dependencies, for tests with the real packages. <code>@opentelemetry/api</code> is an optional peer that only <code>@runahead/agent/otel</code> loads. The names of attributes are our own constants, which a test compares with <code>@opentelemetry/semantic-conventions</code> 1.45: that package is large, and its names for generative AI still change.</p><p><strong>A response of the AI SDK is identified by its list of messages</strong>, which the SDK creates for each step and passes to every callback and to <code>execute</code>. Some hosts create a new list for each call (Mastra 1.71). Their calls are found by id, tool and input when the host asks, so that nothing runs twice; for order among such calls, set <code>oneRun</code>. The latest 1,000 calls that nobody asked for are remembered.</p><p><strong>Only callbacks prove that a response is alive.</strong> AI SDK 6.0.326 and 7 call <code>execute</code> when the response has ended normally, 6.0.0 while it streams. None of them notifies tools when a response breaks off, and 6.0.326 does not even call <code>onError</code> when the connection dies: reading the stream throws. So a call that starts late, because of other calls, a verdict or a question, could start after its response has failed. Therefore it starts only during a callback of the SDK, or when the SDK asks for it. The price: a call that becomes free while only text streams waits for the end of the response. A wrapper around the model would know better, but would be one more thing to wrap; <code>stopEarly</code> is simpler.</p><p><strong>Eager by default</strong>, like the engine, although the SDK forgets the calls of a response that broke off. Tools of the SDK declare nothing, so with <code>reads</code> none would start early. The docs say what that means.</p><p><strong>LangChain and Mastra are examples, not packages.</strong> They run with the packages that the benchmark installs: 530 MB that <code>npm ci</code> does not need.</p><p><strong>Spans of responses are created when a turn has ended</strong>, with the times that the turn measured, so the loop does not know about tracing. Spans of calls are created live.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0022-adapters.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0022Adapters = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0022Adapters as default
};
