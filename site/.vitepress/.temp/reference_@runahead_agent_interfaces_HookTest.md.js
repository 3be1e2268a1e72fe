import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"HookTest","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/HookTest.md","filePath":"reference/@runahead/agent/interfaces/HookTest.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/HookTest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="hooktest" tabindex="-1">HookTest <a class="header-anchor" href="#hooktest" aria-label="Permalink to &quot;HookTest&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> HookTest } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>The outcome of one hook for a sample.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><code>Pick</code>&lt;<code>HookReport</code>, <code>&quot;ending&quot;</code> | <code>&quot;said&quot;</code>&gt;</li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th><th style="text-align:left;">Inherited from</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-ending"></a> <code>ending</code></td><td style="text-align:left;"><code>HookEnding</code></td><td style="text-align:left;">How it ended.</td><td style="text-align:left;"><code>Pick.ending</code></td></tr><tr><td style="text-align:left;"><a id="property-hook"></a> <code>hook</code></td><td style="text-align:left;"><a href="./../type-aliases/ListedHook.html"><code>ListedHook</code></a></td><td style="text-align:left;">The hook.</td><td style="text-align:left;">-</td></tr><tr><td style="text-align:left;"><a id="property-matches"></a> <code>matches</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">Whether its matcher and its rule match the sample.</td><td style="text-align:left;">-</td></tr><tr><td style="text-align:left;"><a id="property-said"></a> <code>said</code></td><td style="text-align:left;"><code>Said</code></td><td style="text-align:left;">Its parsed answer.</td><td style="text-align:left;"><code>Pick.said</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/HookTest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HookTest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HookTest as default
};
