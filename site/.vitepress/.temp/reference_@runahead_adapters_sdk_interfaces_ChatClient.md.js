import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"ChatClient","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/adapters/sdk/interfaces/ChatClient.md","filePath":"reference/@runahead/adapters/sdk/interfaces/ChatClient.md"}');
const _sfc_main = { name: "reference/@runahead/adapters/sdk/interfaces/ChatClient.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="chatclient" tabindex="-1">ChatClient <a class="header-anchor" href="#chatclient" aria-label="Permalink to &quot;ChatClient&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> ChatClient } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/adapters/sdk&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Describes a client of the OpenAI SDK for Chat Completions, with the members that <code>runWith</code> uses.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Type Parameter</th><th style="text-align:left;">Default type</th></tr></thead><tbody><tr><td style="text-align:left;"><code>Method</code> <em>extends</em> <code>Create</code></td><td style="text-align:left;"><code>Create</code></td></tr></tbody></table><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-chat"></a> <code>chat</code></td><td style="text-align:left;"><code>object</code></td><td style="text-align:left;">The Chat Completions API.</td></tr><tr><td style="text-align:left;"><code>chat.completions</code></td><td style="text-align:left;"><code>object</code></td><td style="text-align:left;">-</td></tr><tr><td style="text-align:left;"><code>chat.completions.create</code></td><td style="text-align:left;"><code>Method</code></td><td style="text-align:left;">-</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/adapters/sdk/interfaces/ChatClient.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ChatClient = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ChatClient as default
};
