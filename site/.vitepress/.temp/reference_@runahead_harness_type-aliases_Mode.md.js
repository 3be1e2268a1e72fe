import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Mode","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/type-aliases/Mode.md","filePath":"reference/@runahead/harness/type-aliases/Mode.md"}');
const _sfc_main = { name: "reference/@runahead/harness/type-aliases/Mode.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="mode" tabindex="-1">Mode <a class="header-anchor" href="#mode" aria-label="Permalink to &quot;Mode&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Mode } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;"> Mode</span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;"> =</span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;"> typeof</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> PERMISSION_MODES</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">[number];</span></span></code></pre></div><p>What happens to a call that no rule decides.</p><ul><li><code>default</code>: the user is asked, except for reads inside the workspace.</li><li><code>acceptEdits</code>: changes to files in the workspace are allowed too.</li><li><code>plan</code>: reads are allowed, changes are denied.</li><li><code>auto</code>: a model decides which calls need a question.</li><li><code>dontAsk</code>: calls that would need a question are denied.</li><li><code>bypassPermissions</code>: every call is allowed, except for protected places, deny rules and ask rules.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/type-aliases/Mode.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Mode = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Mode as default
};
