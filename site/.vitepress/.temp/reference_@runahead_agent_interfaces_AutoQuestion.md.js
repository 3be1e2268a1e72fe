import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"AutoQuestion","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/AutoQuestion.md","filePath":"reference/@runahead/agent/interfaces/AutoQuestion.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/AutoQuestion.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="autoquestion" tabindex="-1">AutoQuestion <a class="header-anchor" href="#autoquestion" aria-label="Permalink to &quot;AutoQuestion&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> AutoQuestion } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>A call that only the mode asks about. It contains no tool results, so nothing that a tool returned can influence the decision.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-cwd"></a> <code>cwd</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The folder in which the call would run.</td></tr><tr><td style="text-align:left;"><a id="property-input"></a> <code>input</code></td><td style="text-align:left;"><code>unknown</code></td><td style="text-align:left;">The input of the call, validated.</td></tr><tr><td style="text-align:left;"><a id="property-reason"></a> <code>reason</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Why the call needs a decision.</td></tr><tr><td style="text-align:left;"><a id="property-said"></a> <code>said</code></td><td style="text-align:left;">readonly <code>string</code>[]</td><td style="text-align:left;">What the user typed in this session, oldest first.</td></tr><tr><td style="text-align:left;"><a id="property-signal"></a> <code>signal</code></td><td style="text-align:left;"><code>AbortSignal</code></td><td style="text-align:left;">Aborted when the answer is no longer needed.</td></tr><tr><td style="text-align:left;"><a id="property-toolname"></a> <code>toolName</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The name of the tool.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/AutoQuestion.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AutoQuestion = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AutoQuestion as default
};
