import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"RunWithResult","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/adapters/sdk/interfaces/RunWithResult.md","filePath":"reference/@runahead/adapters/sdk/interfaces/RunWithResult.md"}');
const _sfc_main = { name: "reference/@runahead/adapters/sdk/interfaces/RunWithResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="runwithresult" tabindex="-1">RunWithResult <a class="header-anchor" href="#runwithresult" aria-label="Permalink to &quot;RunWithResult&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> RunWithResult } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/adapters/sdk&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Says how a run ended.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th></tr></thead><tbody><tr><td><code>Messages</code></td></tr></tbody></table><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-detail"></a> <code>detail</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Who stopped it, if the reason is <code>stopped</code>; else empty.</td></tr><tr><td><a id="property-messages"></a> <code>messages</code></td><td><code>readonly</code></td><td><code>Messages</code></td><td>The whole conversation, as the API takes it: every call has its result.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><a href="./../../../agent/type-aliases/EndReason.html"><code>EndReason</code></a> | <code>&quot;left&quot;</code></td><td><code>left</code>: its events were not read to the end.</td></tr><tr><td><a id="property-stop"></a> <code>stop</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Why the last response ended, in the API&#39;s own words.</td></tr><tr><td><a id="property-turns"></a> <code>turns</code></td><td><code>readonly</code></td><td><code>number</code></td><td>How many responses were requested.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/adapters/sdk/interfaces/RunWithResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunWithResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunWithResult as default
};
