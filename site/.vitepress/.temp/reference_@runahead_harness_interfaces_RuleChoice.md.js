import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"RuleChoice","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/RuleChoice.md","filePath":"reference/@runahead/harness/interfaces/RuleChoice.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/RuleChoice.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="rulechoice" tabindex="-1">RuleChoice <a class="header-anchor" href="#rulechoice" aria-label="Permalink to &quot;RuleChoice&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> RuleChoice } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Something that the user can allow beyond one call.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-label"></a> <code>label</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">What it allows, as a sentence without a period: &quot;Allow every <code>npm install …</code> command&quot;.</td></tr><tr><td style="text-align:left;"><a id="property-rules"></a> <code>rules</code></td><td style="text-align:left;">readonly <code>string</code>[]</td><td style="text-align:left;">The rules to add to the allow list; together they allow the call.</td></tr><tr><td style="text-align:left;"><a id="property-scopes"></a> <code>scopes</code></td><td style="text-align:left;">readonly (<code>&quot;session&quot;</code> | <code>&quot;always&quot;</code>)[]</td><td style="text-align:left;">How long the rules can apply: until the session ends, or saved for this project.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/RuleChoice.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RuleChoice = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RuleChoice as default
};
