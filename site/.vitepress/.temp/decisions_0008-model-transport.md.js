import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0008 Models over fetch, not over the providers' SDKs","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0008-model-transport.md","filePath":"decisions/0008-model-transport.md"}`);
const _sfc_main = { name: "decisions/0008-model-transport.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0008-models-over-fetch-not-over-the-providers-sdks" tabindex="-1">0008 Models over fetch, not over the providers&#39; SDKs <a class="header-anchor" href="#0008-models-over-fetch-not-over-the-providers-sdks" aria-label="Permalink to &quot;0008 Models over fetch, not over the providers&#39; SDKs&quot;">​</a></h1><p>The agent talks to models with <code>fetch</code> and <a href="https://www.npmjs.com/package/eventsource-parser" target="_blank" rel="noreferrer">eventsource-parser</a>, a small package without dependencies that handles the line endings, byte order marks and comments of the standard. The alternative was the official SDKs. They are large, their retries and time limits would have to be switched off, and the loop needs only one request and its raw events.</p><p>The engine&#39;s own adapters (<code>packages/engine/src/wire/</code>) take the calls off the wire, so that the agent and a program that uses the engine with an SDK see the same calls at the same moment.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0008-model-transport.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0008ModelTransport = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0008ModelTransport as default
};
