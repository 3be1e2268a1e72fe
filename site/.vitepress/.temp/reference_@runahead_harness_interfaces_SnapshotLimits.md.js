import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"SnapshotLimits","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/SnapshotLimits.md","filePath":"reference/@runahead/harness/interfaces/SnapshotLimits.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/SnapshotLimits.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="snapshotlimits" tabindex="-1">SnapshotLimits <a class="header-anchor" href="#snapshotlimits" aria-label="Permalink to &quot;SnapshotLimits&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> SnapshotLimits } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Limits of a snapshot.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-filebytes"></a> <code>fileBytes</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">A larger file is left out and reported. Default: 10 MB.</td></tr><tr><td style="text-align:left;"><a id="property-files"></a> <code>files</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">With more files, no snapshot is taken. Default: 50,000.</td></tr><tr><td style="text-align:left;"><a id="property-totalbytes"></a> <code>totalBytes</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">With more bytes, no snapshot is taken. Default: 1 GB.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/SnapshotLimits.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SnapshotLimits = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SnapshotLimits as default
};
