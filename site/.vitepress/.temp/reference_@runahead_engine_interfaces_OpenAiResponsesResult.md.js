import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"OpenAiResponsesResult","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/interfaces/OpenAiResponsesResult.md","filePath":"reference/@runahead/engine/interfaces/OpenAiResponsesResult.md"}');
const _sfc_main = { name: "reference/@runahead/engine/interfaces/OpenAiResponsesResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="openairesponsesresult" tabindex="-1">OpenAiResponsesResult <a class="header-anchor" href="#openairesponsesresult" aria-label="Permalink to &quot;OpenAiResponsesResult&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> OpenAiResponsesResult } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/engine&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Holds a result for the Responses API. Assignable to <code>OpenAI.Responses.ResponseInputItem.FunctionCallOutput</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-call_id"></a> <code>call_id</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The id of the call.</td></tr><tr><td style="text-align:left;"><a id="property-output"></a> <code>output</code></td><td style="text-align:left;"><code>string</code> | <a href="./../type-aliases/OpenAiPart.html"><code>OpenAiPart</code></a>[]</td><td style="text-align:left;">What the model reads: a text, or parts if there are images or documents.</td></tr><tr><td style="text-align:left;"><a id="property-type"></a> <code>type</code></td><td style="text-align:left;"><code>&quot;function_call_output&quot;</code></td><td style="text-align:left;">Always <code>function_call_output</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/interfaces/OpenAiResponsesResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const OpenAiResponsesResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  OpenAiResponsesResult as default
};
