import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Claim","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/interfaces/Claim.md","filePath":"reference/@runahead/engine/interfaces/Claim.md"}');
const _sfc_main = { name: "reference/@runahead/engine/interfaces/Claim.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="claim" tabindex="-1">Claim <a class="header-anchor" href="#claim" aria-label="Permalink to &quot;Claim&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Claim } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/engine&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Declares that a call reads or writes a place and everything below it.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-mode"></a> <code>mode</code></td><td style="text-align:left;"><code>&quot;read&quot;</code> | <code>&quot;write&quot;</code></td><td style="text-align:left;">Two calls conflict if their places overlap and at least one of them writes.</td></tr><tr><td style="text-align:left;"><a id="property-place"></a> <code>place</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">What is touched, such as <code>fs:/repo/src/a.ts</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/interfaces/Claim.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Claim = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Claim as default
};
