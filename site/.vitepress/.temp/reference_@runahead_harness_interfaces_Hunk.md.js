import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Hunk","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/Hunk.md","filePath":"reference/@runahead/harness/interfaces/Hunk.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/Hunk.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="hunk" tabindex="-1">Hunk <a class="header-anchor" href="#hunk" aria-label="Permalink to &quot;Hunk&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Hunk } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>A run of changed lines with the lines around them.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-lines"></a> <code>lines</code></td><td style="text-align:left;">readonly <code>string</code>[]</td><td style="text-align:left;">The lines, each with <code></code>, <code>-</code> or <code>+</code> before it.</td></tr><tr><td style="text-align:left;"><a id="property-newlines"></a> <code>newLines</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">How many lines of the new text it covers.</td></tr><tr><td style="text-align:left;"><a id="property-newstart"></a> <code>newStart</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">Number of its first line in the new text, from 1.</td></tr><tr><td style="text-align:left;"><a id="property-oldlines"></a> <code>oldLines</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">How many lines of the old text it covers.</td></tr><tr><td style="text-align:left;"><a id="property-oldstart"></a> <code>oldStart</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">Number of its first line in the old text, from 1.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/Hunk.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Hunk = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Hunk as default
};
