import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Listeners","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/harness/interfaces/Listeners.md","filePath":"reference/@runahead/harness/interfaces/Listeners.md"}');
const _sfc_main = { name: "reference/@runahead/harness/interfaces/Listeners.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="listeners" tabindex="-1">Listeners <a class="header-anchor" href="#listeners" aria-label="Permalink to &quot;Listeners&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> Listeners } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/harness&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Receives events and notices, and asks the user.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-askperson"></a> <code>askPerson?</code></td><td style="text-align:left;">(<code>question</code>) =&gt; <code>Promise</code>&lt;<a href="./../../agent/type-aliases/PersonAnswer.html"><code>PersonAnswer</code></a>&gt;</td><td style="text-align:left;">Asks the user whether a call can run. Default: calls that need a question are denied.</td></tr><tr><td style="text-align:left;"><a id="property-askuser"></a> <code>askUser?</code></td><td style="text-align:left;"><a href="./../type-aliases/AskUser.html"><code>AskUser</code></a></td><td style="text-align:left;">Asks the user the model&#39;s own questions. Default: the model has no tool for them.</td></tr><tr><td style="text-align:left;"><a id="property-onevent"></a> <code>onEvent</code></td><td style="text-align:left;">(<code>event</code>) =&gt; <code>void</code></td><td style="text-align:left;">Called with every event of a run.</td></tr><tr><td style="text-align:left;"><a id="property-onnotice"></a> <code>onNotice</code></td><td style="text-align:left;">(<code>message</code>) =&gt; <code>void</code></td><td style="text-align:left;">Called with problems that do not stop the work, such as a settings file that cannot be read.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/harness/interfaces/Listeners.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Listeners = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Listeners as default
};
