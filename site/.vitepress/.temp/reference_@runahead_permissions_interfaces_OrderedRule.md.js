import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"OrderedRule","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/permissions/interfaces/OrderedRule.md","filePath":"reference/@runahead/permissions/interfaces/OrderedRule.md"}');
const _sfc_main = { name: "reference/@runahead/permissions/interfaces/OrderedRule.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="orderedrule" tabindex="-1">OrderedRule <a class="header-anchor" href="#orderedrule" aria-label="Permalink to &quot;OrderedRule&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> OrderedRule } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/permissions&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>A rule of an ordered list: the first one that matches a call decides.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-action"></a> <code>action</code></td><td style="text-align:left;"><code>&quot;ask&quot;</code> | <code>&quot;allow&quot;</code> | <code>&quot;deny&quot;</code></td><td style="text-align:left;">What happens to a matching call.</td></tr><tr><td style="text-align:left;"><a id="property-pattern"></a> <code>pattern?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The text between the brackets of <code>Tool(pattern)</code>. Default: every call of the tool.</td></tr><tr><td style="text-align:left;"><a id="property-tool"></a> <code>tool</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The tool that the rule is about, such as <code>Bash</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/permissions/interfaces/OrderedRule.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const OrderedRule = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  OrderedRule as default
};
