import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"ShellWord","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/permissions/interfaces/ShellWord.md","filePath":"reference/@runahead/permissions/interfaces/ShellWord.md"}');
const _sfc_main = { name: "reference/@runahead/permissions/interfaces/ShellWord.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="shellword" tabindex="-1">ShellWord <a class="header-anchor" href="#shellword" aria-label="Permalink to &quot;ShellWord&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> ShellWord } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/permissions&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>One word of a command.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-fromtilde"></a> <code>fromTilde</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">It began with <code>~</code>.</td></tr><tr><td style="text-align:left;"><a id="property-raw"></a> <code>raw</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The word as written.</td></tr><tr><td style="text-align:left;"><a id="property-splits"></a> <code>splits</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">It can become several words, or none.</td></tr><tr><td style="text-align:left;"><a id="property-type"></a> <code>type</code></td><td style="text-align:left;"><code>&quot;static&quot;</code> | <code>&quot;glob&quot;</code> | <code>&quot;dynamic&quot;</code></td><td style="text-align:left;"><code>static</code>: the value is what the command gets; <code>glob</code>: the value is a file name pattern; <code>dynamic</code>: the value is unknown until the command runs.</td></tr><tr><td style="text-align:left;"><a id="property-value"></a> <code>value</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The word without quotes and escapes; parts that are unknown until it runs stay as written.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/permissions/interfaces/ShellWord.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ShellWord = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ShellWord as default
};
