import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"SnapshotOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/SnapshotOptions.md","filePath":"reference/@runahead/harness/interfaces/SnapshotOptions.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/SnapshotOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="snapshotoptions" tabindex="-1">SnapshotOptions <a class="header-anchor" href="#snapshotoptions" aria-label="Permalink to &quot;SnapshotOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> SnapshotOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Options of <code>workspaceSnapshots</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-folder"></a> <code>folder</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The folder where snapshots are kept. It must be private and for this workspace only.</td></tr><tr><td><a id="property-isprotected"></a> <code>isProtected?</code></td><td><code>readonly</code></td><td>(<code>path</code>) =&gt; <code>boolean</code></td><td>Returns true for absolute paths that are neither taken nor restored. <code>.git</code> never is.</td></tr><tr><td><a id="property-keepdays"></a> <code>keepDays?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Days after which an unused snapshot is deleted. Default: 30.</td></tr><tr><td><a id="property-limits"></a> <code>limits?</code></td><td><code>readonly</code></td><td><code>Partial</code>&lt;<a href="./SnapshotLimits.html"><code>SnapshotLimits</code></a>&gt;</td><td>Limits of a snapshot. Default: 10 MB per file, 50,000 files, 1 GB.</td></tr><tr><td><a id="property-waitms"></a> <code>waitMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>How long to wait for another process that uses the folder, in milliseconds. Default: 10,000.</td></tr><tr><td><a id="property-workspace"></a> <code>workspace</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The folder whose files are kept; an absolute path.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/SnapshotOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SnapshotOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SnapshotOptions as default
};
