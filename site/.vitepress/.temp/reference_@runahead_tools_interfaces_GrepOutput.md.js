import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"GrepOutput","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/tools/interfaces/GrepOutput.md","filePath":"reference/@runahead/tools/interfaces/GrepOutput.md"}');
const _sfc_main = { name: "reference/@runahead/tools/interfaces/GrepOutput.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="grepoutput" tabindex="-1">GrepOutput <a class="header-anchor" href="#grepoutput" aria-label="Permalink to &quot;GrepOutput&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> GrepOutput } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/tools&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Output of the Grep tool.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-isexact"></a> <code>isExact</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether <code>total</code> is exact. If not, the search stopped early, and there are at least as many.</td></tr><tr><td><a id="property-lines"></a> <code>lines</code></td><td><code>readonly</code></td><td><code>Shown</code></td><td>What is shown of the result.</td></tr><tr><td><a id="property-mode"></a> <code>mode</code></td><td><code>readonly</code></td><td><code>GrepMode</code></td><td>What was asked for: lines, files or counts.</td></tr><tr><td><a id="property-notes"></a> <code>notes</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>What the model should know of the search: what was left out, for example.</td></tr><tr><td><a id="property-offset"></a> <code>offset</code></td><td><code>readonly</code></td><td><code>number</code></td><td>How many were skipped before the first one shown.</td></tr><tr><td><a id="property-total"></a> <code>total</code></td><td><code>readonly</code></td><td><code>number</code></td><td>How many there are.</td></tr><tr><td><a id="property-unit"></a> <code>unit</code></td><td><code>readonly</code></td><td><code>&quot;files&quot;</code> | <code>&quot;lines&quot;</code></td><td>What <code>total</code> and <code>offset</code> count.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/tools/interfaces/GrepOutput.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const GrepOutput = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  GrepOutput as default
};
