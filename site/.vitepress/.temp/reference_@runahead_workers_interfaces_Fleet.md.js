import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Fleet","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/workers/interfaces/Fleet.md","filePath":"reference/@runahead/workers/interfaces/Fleet.md"}');
const _sfc_main = { name: "reference/@runahead/workers/interfaces/Fleet.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="fleet" tabindex="-1">Fleet <a class="header-anchor" href="#fleet" aria-label="Permalink to &quot;Fleet&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Fleet } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/workers&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>The workers of a queue and what waits for them, at one moment.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-queue"></a> <code>queue</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The name of the queue.</td></tr><tr><td style="text-align:left;"><a id="property-waiting"></a> <code>waiting</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The number of calls that no worker has taken yet.</td></tr><tr><td style="text-align:left;"><a id="property-workers"></a> <code>workers</code></td><td style="text-align:left;">readonly <code>object</code>[]</td><td style="text-align:left;">The workers that are alive, in order of their start.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/workers/interfaces/Fleet.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Fleet = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Fleet as default
};
