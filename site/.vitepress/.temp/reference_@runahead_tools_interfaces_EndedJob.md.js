import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"EndedJob","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/tools/interfaces/EndedJob.md","filePath":"reference/@runahead/tools/interfaces/EndedJob.md"}');
const _sfc_main = { name: "reference/@runahead/tools/interfaces/EndedJob.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="endedjob" tabindex="-1">EndedJob <a class="header-anchor" href="#endedjob" aria-label="Permalink to &quot;EndedJob&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> EndedJob } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/tools&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>A background job that ended.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-command"></a> <code>command</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The command that it ran.</td></tr><tr><td style="text-align:left;"><a id="property-how"></a> <code>how</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">How it ended, such as <code>exit code 1</code>.</td></tr><tr><td style="text-align:left;"><a id="property-id"></a> <code>id</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Id of the job, such as <code>bash_1</code>.</td></tr><tr><td style="text-align:left;"><a id="property-lastlines"></a> <code>lastLines</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Its last lines of output.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/tools/interfaces/EndedJob.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const EndedJob = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  EndedJob as default
};
