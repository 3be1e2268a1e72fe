import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Confinement","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/permissions/interfaces/Confinement.md","filePath":"reference/@runahead/permissions/interfaces/Confinement.md"}');
const _sfc_main = { name: "reference/@runahead/permissions/interfaces/Confinement.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="confinement" tabindex="-1">Confinement <a class="header-anchor" href="#confinement" aria-label="Permalink to &quot;Confinement&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Confinement } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/permissions&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>How to run a shell command that is allowed only because it reads: in the read-only sandbox.</p><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="hidden" tabindex="-1">hidden() <a class="header-anchor" href="#hidden" aria-label="Permalink to &quot;hidden()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">hidden</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">(): readonly string[];</span></span></code></pre></div><p>Lists the files that a <code>Read</code> deny covers and that the sandbox must hide, looked up on each call. Throws if some of them cannot be hidden: then the command must not run.</p><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p>readonly <code>string</code>[]</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/permissions/interfaces/Confinement.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Confinement = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Confinement as default
};
