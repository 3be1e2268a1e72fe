import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"SendOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/SendOptions.md","filePath":"reference/@runahead/agent/interfaces/SendOptions.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/SendOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="sendoptions" tabindex="-1">SendOptions <a class="header-anchor" href="#sendoptions" aria-label="Permalink to &quot;SendOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> SendOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Options of <code>agent.send</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-interrupt"></a> <code>interrupt?</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">While the agent is busy: do not wait for the end of the turn. Calls that must not be interrupted still finish first. Default: false.</td></tr><tr><td style="text-align:left;"><a id="property-said"></a> <code>said?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">What the user typed, without attachments; auto mode reads it. Default: the first text of the prompt.</td></tr><tr><td style="text-align:left;"><a id="property-snapshot"></a> <code>snapshot?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The id of a workspace snapshot taken before the prompt. It is stored with the prompt.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/SendOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SendOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SendOptions as default
};
