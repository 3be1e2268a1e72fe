import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"RuleLists","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/permissions/interfaces/RuleLists.md","filePath":"reference/@runahead/permissions/interfaces/RuleLists.md"}');
const _sfc_main = { name: "reference/@runahead/permissions/interfaces/RuleLists.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="rulelists" tabindex="-1">RuleLists <a class="header-anchor" href="#rulelists" aria-label="Permalink to &quot;RuleLists&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> RuleLists } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/permissions&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Rules as a settings file lists them. Denies win over asks, asks over ordered rules, those over allows.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./PermissionSource.html"><code>PermissionSource</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-additionaldirectories"></a> <code>additionalDirectories?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Folders outside the working directory that belong to the workspace. Default: none.</td></tr><tr><td><a id="property-allow"></a> <code>allow?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Calls that run without a question: <code>Bash(npm test:*)</code>, <code>Edit(src/**)</code>. Default: none.</td></tr><tr><td><a id="property-ask"></a> <code>ask?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Calls that are always asked about. Default: none.</td></tr><tr><td><a id="property-deny"></a> <code>deny?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Calls that never run. Default: none.</td></tr><tr><td><a id="property-rules"></a> <code>rules?</code></td><td><code>readonly</code></td><td>readonly <a href="./OrderedRule.html"><code>OrderedRule</code></a>[]</td><td>Rules of which the first match decides, after the denies and asks of all lists. Default: none.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/permissions/interfaces/RuleLists.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RuleLists = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RuleLists as default
};
