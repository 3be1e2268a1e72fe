import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"RetryPolicy","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/RetryPolicy.md","filePath":"reference/@runahead/agent/interfaces/RetryPolicy.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/RetryPolicy.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="retrypolicy" tabindex="-1">RetryPolicy <a class="header-anchor" href="#retrypolicy" aria-label="Permalink to &quot;RetryPolicy&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> RetryPolicy } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>How often and after which waits a failed request is sent again.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-attempts"></a> <code>attempts</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The maximum number of attempts, including the first.</td></tr><tr><td style="text-align:left;"><a id="property-firstwaitms"></a> <code>firstWaitMs</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The wait after the first failure; it doubles with each failure.</td></tr><tr><td style="text-align:left;"><a id="property-longestwaitms"></a> <code>longestWaitMs</code></td><td style="text-align:left;"><code>number</code></td><td style="text-align:left;">The longest wait, unless the server asks for a longer one.</td></tr><tr><td style="text-align:left;"><a id="property-random"></a> <code>random</code></td><td style="text-align:left;">() =&gt; <code>number</code></td><td style="text-align:left;">Returns uniformly distributed numbers in [0, 1), which add jitter to the waits.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/RetryPolicy.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RetryPolicy = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RetryPolicy as default
};
