import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"HookSource","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/HookSource.md","filePath":"reference/@runahead/harness/interfaces/HookSource.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/HookSource.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="hooksource" tabindex="-1">HookSource <a class="header-anchor" href="#hooksource" aria-label="Permalink to &quot;HookSource&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> HookSource } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>One settings file&#39;s hooks. If it is not trusted, none of them can run.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-hooks"></a> <code>hooks</code></td><td style="text-align:left;"><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, readonly <code>Shape</code>[]&gt;&gt;</td><td style="text-align:left;">The hooks by event, as they are in the file.</td></tr><tr><td style="text-align:left;"><a id="property-level"></a> <code>level</code></td><td style="text-align:left;"><a href="./../../permissions/type-aliases/SettingsLevel.html"><code>SettingsLevel</code></a></td><td style="text-align:left;">Who the file belongs to; it decides which file wins.</td></tr><tr><td style="text-align:left;"><a id="property-name"></a> <code>name</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Display name of the file.</td></tr><tr><td style="text-align:left;"><a id="property-root"></a> <code>root</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Folder that relative paths in it are resolved against.</td></tr><tr><td style="text-align:left;"><a id="property-trusted"></a> <code>trusted</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">Whether what it allows or runs takes effect.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/HookSource.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HookSource = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HookSource as default
};
