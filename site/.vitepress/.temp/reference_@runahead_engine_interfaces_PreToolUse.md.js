import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"PreToolUse","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/interfaces/PreToolUse.md","filePath":"reference/@runahead/engine/interfaces/PreToolUse.md"}');
const _sfc_main = { name: "reference/@runahead/engine/interfaces/PreToolUse.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pretooluse" tabindex="-1">PreToolUse <a class="header-anchor" href="#pretooluse" aria-label="Permalink to &quot;PreToolUse&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> PreToolUse } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/engine&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Holds what a hook decided before a call. An empty object decides nothing.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-decision"></a> <code>decision?</code></td><td style="text-align:left;"><code>&quot;ask&quot;</code> | <code>&quot;allow&quot;</code> | <code>&quot;deny&quot;</code></td><td style="text-align:left;"><code>allow</code> skips a mode&#39;s question, <code>ask</code> asks a person, <code>deny</code> keeps the call from running.</td></tr><tr><td style="text-align:left;"><a id="property-endturn"></a> <code>endTurn?</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">Ends the turn; goes with <code>deny</code>. Default: false.</td></tr><tr><td style="text-align:left;"><a id="property-input"></a> <code>input?</code></td><td style="text-align:left;"><code>unknown</code></td><td style="text-align:left;">Replaces the whole input; it is validated and judged again.</td></tr><tr><td style="text-align:left;"><a id="property-reason"></a> <code>reason?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Why, in words for the person or the model.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/interfaces/PreToolUse.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PreToolUse = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PreToolUse as default
};
