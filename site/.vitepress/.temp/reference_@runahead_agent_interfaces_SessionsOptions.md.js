import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"SessionsOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/SessionsOptions.md","filePath":"reference/@runahead/agent/interfaces/SessionsOptions.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/SessionsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="sessionsoptions" tabindex="-1">SessionsOptions <a class="header-anchor" href="#sessionsoptions" aria-label="Permalink to &quot;SessionsOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> SessionsOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Options of <a href="./../functions/sessions.html">sessions</a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-cwd"></a> <code>cwd?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The project&#39;s folder. Default: the working directory.</td></tr><tr><td style="text-align:left;"><a id="property-files"></a> <code>files?</code></td><td style="text-align:left;"><code>JournalFiles</code></td><td style="text-align:left;">Replaces the file system, for tests.</td></tr><tr><td style="text-align:left;"><a id="property-home"></a> <code>home?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Where sessions are stored. Default: <code>RUNAHEAD_HOME</code>, then <code>~/.runahead</code>.</td></tr><tr><td style="text-align:left;"><a id="property-limits"></a> <code>limits?</code></td><td style="text-align:left;"><code>Partial</code>&lt;<code>WriterLimits</code>&gt;</td><td style="text-align:left;">Limits of writing, for tests.</td></tr><tr><td style="text-align:left;"><a id="property-onnotice"></a> <code>onNotice?</code></td><td style="text-align:left;">(<code>message</code>) =&gt; <code>void</code></td><td style="text-align:left;">Receives problems such as a full disk. Default: problems are not reported.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/SessionsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SessionsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SessionsOptions as default
};
