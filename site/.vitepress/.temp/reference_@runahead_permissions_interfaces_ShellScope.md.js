import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"ShellScope","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/permissions/interfaces/ShellScope.md","filePath":"reference/@runahead/permissions/interfaces/ShellScope.md"}');
const _sfc_main = { name: "reference/@runahead/permissions/interfaces/ShellScope.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="shellscope" tabindex="-1">ShellScope <a class="header-anchor" href="#shellscope" aria-label="Permalink to &quot;ShellScope&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> ShellScope } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/permissions&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Where a command runs.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-cwd"></a> <code>cwd</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The working directory, an absolute path.</td></tr><tr><td style="text-align:left;"><a id="property-home"></a> <code>home</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">What <code>~</code> and <code>$HOME</code> stand for.</td></tr><tr><td style="text-align:left;"><a id="property-realpath"></a> <code>realpath?</code></td><td style="text-align:left;"><a href="./../type-aliases/RealPath.html"><code>RealPath</code></a></td><td style="text-align:left;">Resolves links. Default: paths are used as written.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/permissions/interfaces/ShellScope.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ShellScope = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ShellScope as default
};
