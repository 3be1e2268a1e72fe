import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"PromptPlace","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/PromptPlace.md","filePath":"reference/@runahead/agent/interfaces/PromptPlace.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/PromptPlace.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="promptplace" tabindex="-1">PromptPlace <a class="header-anchor" href="#promptplace" aria-label="Permalink to &quot;PromptPlace&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> PromptPlace } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>A prompt of the user that the conversation can return to.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-messages"></a> <code>messages</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The number of messages before it: the argument of <code>rewind</code>.</td></tr><tr><td style="text-align:left;"><a id="property-snapshot"></a> <code>snapshot</code></td><td style="text-align:left;"><code>string</code> | <code>undefined</code></td><td style="text-align:left;">The id of the workspace snapshot taken before it, if any.</td></tr><tr><td style="text-align:left;"><a id="property-text"></a> <code>text</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Its text.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/PromptPlace.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PromptPlace = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PromptPlace as default
};
