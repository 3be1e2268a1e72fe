import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Surroundings","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/Surroundings.md","filePath":"reference/@runahead/harness/interfaces/Surroundings.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/Surroundings.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="surroundings" tabindex="-1">Surroundings <a class="header-anchor" href="#surroundings" aria-label="Permalink to &quot;Surroundings&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Surroundings } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Where an agent works. Passed explicitly, so that a test or a server can use other folders than those of the process.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-cwd"></a> <code>cwd</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The folder that the agent works in; an absolute path.</td></tr><tr><td style="text-align:left;"><a id="property-env"></a> <code>env</code></td><td style="text-align:left;"><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code> | <code>undefined</code>&gt;&gt;</td><td style="text-align:left;">Environment variables. API keys are read from here and are not passed to commands.</td></tr><tr><td style="text-align:left;"><a id="property-home"></a> <code>home</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The user&#39;s home folder; <code>~/.runahead</code> and <code>~/.claude</code> are read from there.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/Surroundings.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Surroundings = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Surroundings as default
};
