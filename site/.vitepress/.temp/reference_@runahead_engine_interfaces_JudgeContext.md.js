import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"JudgeContext","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/engine/interfaces/JudgeContext.md","filePath":"reference/@runahead/engine/interfaces/JudgeContext.md"}');
const _sfc_main = { name: "reference/@runahead/engine/interfaces/JudgeContext.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="judgecontext" tabindex="-1">JudgeContext <a class="header-anchor" href="#judgecontext" aria-label="Permalink to &quot;JudgeContext&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> JudgeContext } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/engine&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Gives <code>canUseTool</code> what it needs beside the tool and its input.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th><th>Default type</th></tr></thead><tbody><tr><td><code>Context</code> <em>extends</em> <a href="./SharedContext.html"><code>SharedContext</code></a></td><td><a href="./SharedContext.html"><code>SharedContext</code></a></td></tr></tbody></table><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-callid"></a> <code>callId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The id of the call.</td></tr><tr><td><a id="property-context"></a> <code>context</code></td><td><code>readonly</code></td><td><code>Context</code></td><td>The shared context, as the call would find it.</td></tr><tr><td><a id="property-hookdecision"></a> <code>hookDecision</code></td><td><code>readonly</code></td><td><code>&quot;ask&quot;</code> | <code>&quot;allow&quot;</code> | <code>undefined</code></td><td>What PreToolUse hooks decided: an <code>allow</code> can skip a mode&#39;s question, never a deny or an ask rule.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborted when the answer is no longer needed.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/engine/interfaces/JudgeContext.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const JudgeContext = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  JudgeContext as default
};
