import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"WebFetchOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/tools/interfaces/WebFetchOptions.md","filePath":"reference/@runahead/tools/interfaces/WebFetchOptions.md"}');
const _sfc_main = { name: "reference/@runahead/tools/interfaces/WebFetchOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="webfetchoptions" tabindex="-1">WebFetchOptions <a class="header-anchor" href="#webfetchoptions" aria-label="Permalink to &quot;WebFetchOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> WebFetchOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/tools&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Options of WebFetch.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-allowprivate"></a> <code>allowPrivate?</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">Allows addresses of this machine and private networks. Default: false.</td></tr><tr><td style="text-align:left;"><a id="property-ask"></a> <code>ask?</code></td><td style="text-align:left;"><a href="./../type-aliases/AskAboutPage.html"><code>AskAboutPage</code></a></td><td style="text-align:left;">Answers the prompt of a call about a page. Default: the page itself is the result.</td></tr><tr><td style="text-align:left;"><a id="property-limitms"></a> <code>limitMs?</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">Time limit of one fetch with its redirects, in milliseconds. Default: 60,000.</td></tr><tr><td style="text-align:left;"><a id="property-network"></a> <code>network?</code></td><td style="text-align:left;"><code>Network</code></td><td style="text-align:left;">DNS lookup and the check for public addresses, for tests. Default: those of the system.</td></tr><tr><td style="text-align:left;"><a id="property-now"></a> <code>now?</code></td><td style="text-align:left;">() =&gt; <code>number</code></td><td style="text-align:left;">Returns monotonic milliseconds, for the cache. Default: <code>performance.now</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/tools/interfaces/WebFetchOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const WebFetchOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  WebFetchOptions as default
};
