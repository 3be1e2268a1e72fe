import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0022 Adapters","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0022-adapters.md","filePath":"decisions/0022-adapters.md"}');
const _sfc_main = { name: "decisions/0022-adapters.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0022-adapters" tabindex="-1">0022 Adapters <a class="header-anchor" href="#_0022-adapters" aria-label="Permalink to &quot;0022 Adapters&quot;">​</a></h1><p><strong>By their form.</strong> <code>early</code> and <code>runWith</code> import neither the AI SDK nor the providers&#39; SDKs. <code>runWith</code> takes the types of events and messages from the type of the client&#39;s own <code>create</code>, so that every version of an SDK brings its own. They are development dependencies, for tests with the real packages; <code>@opentelemetry/api</code> is an optional peer, loaded by <code>@runahead/agent/otel</code> only. The names of attributes are constants of ours, compared with <code>@opentelemetry/semantic-conventions</code> 1.45 in a test: that package is large, and its names for generative AI still change.</p><p><strong>A response of the AI SDK is known by its list of messages</strong>, which the SDK makes for each step and hands to every callback and to <code>execute</code>. A host that makes a new list for each (Mastra 1.71) is recognised when it asks: a call that has been started and not been asked for is found by its id, its tool and its input, so that nothing runs twice; for order among such calls the host is named (<code>oneRun</code>). Up to 1,000 calls that nobody asked for are remembered so, the latest.</p><p><strong>What is heard is what is known.</strong> AI SDK 6.0.326 and 7 call <code>execute</code> when the response has ended well, 6.0.0 in mid-stream; none tells tools that a response broke off, and 6.0.326 does not even call <code>onError</code> when the connection dies: reading the stream throws. A call that starts late, because a place, a verdict or a person kept it, could so start after its response has failed. It therefore starts only while a callback of the SDK is under way, or when it is asked for. The price is that a call which becomes free while only text streams waits for the response&#39;s end. A wrapper around the model would know better, and would be one more thing to wrap; <code>stopEarly</code> is the smaller one.</p><p><strong>Eager by default</strong>, as the engine is, although the SDK forgets calls of a response that broke off: tools of the SDK declare nothing, so with <code>reads</code> none would start early. The page says what that means.</p><p><strong>LangChain and Mastra are examples, not packages</strong>, and run with the packages that the bench installs: 530 MB that <code>npm ci</code> need not know of.</p><p><strong>Spans of responses are made when a turn has ended</strong>, with the times that the turn itself took: the loop&#39;s events come after the fact, and the loop need not know of tracing. Spans of calls are made as they happen.</p></div>`);
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
