import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"RepairedHistory","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/history/interfaces/RepairedHistory.md","filePath":"reference/@runahead/engine/history/interfaces/RepairedHistory.md"}');
const _sfc_main = { name: "reference/@runahead/engine/history/interfaces/RepairedHistory.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="repairedhistory" tabindex="-1">RepairedHistory <a class="header-anchor" href="#repairedhistory" aria-label="Permalink to &quot;RepairedHistory&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> RepairedHistory } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/engine/history&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Holds a history that the Messages API accepts, and what was done to get there.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Type Parameter</th></tr></thead><tbody><tr><td style="text-align:left;"><code>Message</code></td></tr></tbody></table><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-messages"></a> <code>messages</code></td><td style="text-align:left;"><code>Message</code>[]</td><td style="text-align:left;">The repaired history. Messages in which nothing was wrong are the same objects.</td></tr><tr><td style="text-align:left;"><a id="property-repairs"></a> <code>repairs</code></td><td style="text-align:left;">readonly <code>string</code>[]</td><td style="text-align:left;">What was done, one sentence each; empty if nothing was wrong.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/history/interfaces/RepairedHistory.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RepairedHistory = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RepairedHistory as default
};
