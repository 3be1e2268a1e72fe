import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@runahead/adapters/sdk","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/adapters/sdk/index.md","filePath":"reference/@runahead/adapters/sdk/index.md"}');
const _sfc_main = { name: "reference/@runahead/adapters/sdk/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="runaheadadapterssdk" tabindex="-1">@runahead/adapters/sdk <a class="header-anchor" href="#runaheadadapterssdk" aria-label="Permalink to &quot;@runahead/adapters/sdk&quot;">​</a></h1><p>For programs on the Anthropic SDK or the OpenAI SDK.</p><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/runWith.html">runWith</a></li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/AnthropicClient.html">AnthropicClient</a></li><li><a href="./interfaces/ChatClient.html">ChatClient</a></li><li><a href="./interfaces/ResponsesClient.html">ResponsesClient</a></li><li><a href="./interfaces/Running.html">Running</a></li><li><a href="./interfaces/RunWithOptions.html">RunWithOptions</a></li><li><a href="./interfaces/RunWithResult.html">RunWithResult</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/adapters/sdk/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
