import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"OpenAiOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/OpenAiOptions.md","filePath":"reference/@runahead/agent/interfaces/OpenAiOptions.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/OpenAiOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="openaioptions" tabindex="-1">OpenAiOptions <a class="header-anchor" href="#openaioptions" aria-label="Permalink to &quot;OpenAiOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> OpenAiOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Options of <a href="./../functions/openai.html">openai</a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-api"></a> <code>api?</code></td><td><code>readonly</code></td><td><code>&quot;responses&quot;</code> | <code>&quot;chat&quot;</code></td><td>Which API to use. Default: <code>responses</code> at OpenAI, elsewhere <code>chat</code>, which every server has.</td></tr><tr><td><a id="property-apikey"></a> <code>apiKey?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The API key. Default: <code>OPENAI_API_KEY</code>. Only OpenAI itself requires one.</td></tr><tr><td><a id="property-baseurl"></a> <code>baseURL?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The address of the API. Default: <code>OPENAI_BASE_URL</code>, then <code>OLLAMA_HOST</code>, then OpenAI&#39;s own.</td></tr><tr><td><a id="property-model"></a> <code>model</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The name of the model.</td></tr><tr><td><a id="property-websearch"></a> <code>webSearch?</code></td><td><code>readonly</code></td><td><a href="./ProviderSearch.html"><code>ProviderSearch</code></a></td><td>OpenAI&#39;s own web search, which the model uses as it likes. Only with <code>responses</code>. Default: not offered.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/OpenAiOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const OpenAiOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  OpenAiOptions as default
};
