import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"PermissionVerdict","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/PermissionVerdict.md","filePath":"reference/@runahead/harness/interfaces/PermissionVerdict.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/PermissionVerdict.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="permissionverdict" tabindex="-1">PermissionVerdict <a class="header-anchor" href="#permissionverdict" aria-label="Permalink to &quot;PermissionVerdict&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> PermissionVerdict } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Whether a call can run, and why.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-behavior"></a> <code>behavior</code></td><td><code>readonly</code></td><td><a href="./../../permissions/type-aliases/RuleAction.html"><code>RuleAction</code></a></td><td><code>allow</code>: it can run. <code>ask</code>: it can run once a person agrees. <code>deny</code>: it must not run.</td></tr><tr><td><a id="property-by"></a> <code>by</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/VerdictBy.html"><code>VerdictBy</code></a></td><td>What decided.</td></tr><tr><td><a id="property-confinement"></a> <code>confinement?</code></td><td><code>readonly</code></td><td><a href="./../../permissions/interfaces/Confinement.html"><code>Confinement</code></a></td><td>Set on an allow that holds only inside the read-only sandbox.</td></tr><tr><td><a id="property-files"></a> <code>files?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Set on verdicts about a file tool: each name and resolved path that was judged. The tool opens no other.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><code>string</code></td><td>A sentence for a person or a model.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/PermissionVerdict.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PermissionVerdict = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PermissionVerdict as default
};
