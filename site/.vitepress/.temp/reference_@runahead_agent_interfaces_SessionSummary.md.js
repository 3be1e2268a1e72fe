import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"SessionSummary","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/interfaces/SessionSummary.md","filePath":"reference/@runahead/agent/interfaces/SessionSummary.md"}');
const _sfc_main = { name: "reference/@runahead/agent/interfaces/SessionSummary.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="sessionsummary" tabindex="-1">SessionSummary <a class="header-anchor" href="#sessionsummary" aria-label="Permalink to &quot;SessionSummary&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> SessionSummary } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Describes a session without loading it.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-createdat"></a> <code>createdAt</code></td><td><code>readonly</code></td><td><code>string</code></td><td>When it was created, in ISO 8601; empty if the header cannot be read.</td></tr><tr><td><a id="property-cwd"></a> <code>cwd</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The folder that it is about; empty if the header cannot be read.</td></tr><tr><td><a id="property-firstprompt"></a> <code>firstPrompt</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The beginning of its first prompt; empty if there was none yet.</td></tr><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Its id.</td></tr><tr><td><a id="property-islocked"></a> <code>isLocked</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether a process that is alive has it.</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The path of its journal.</td></tr><tr><td><a id="property-sizebytes"></a> <code>sizeBytes</code></td><td><code>readonly</code></td><td><code>number</code></td><td>The size of its journal.</td></tr><tr><td><a id="property-updatedat"></a> <code>updatedAt</code></td><td><code>readonly</code></td><td><code>string</code></td><td>When it was last written to, in ISO 8601.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/interfaces/SessionSummary.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SessionSummary = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SessionSummary as default
};
