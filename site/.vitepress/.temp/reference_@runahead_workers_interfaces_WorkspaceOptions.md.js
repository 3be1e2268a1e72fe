import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"WorkspaceOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/workers/interfaces/WorkspaceOptions.md","filePath":"reference/@runahead/workers/interfaces/WorkspaceOptions.md"}');
const _sfc_main = { name: "reference/@runahead/workers/interfaces/WorkspaceOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="workspaceoptions" tabindex="-1">WorkspaceOptions <a class="header-anchor" href="#workspaceoptions" aria-label="Permalink to &quot;WorkspaceOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> WorkspaceOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/workers&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Identifies a workspace: files and jobs on one worker.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-name"></a> <code>name</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">Its name: 1 to 64 letters, digits, &quot;-&quot; or &quot;_&quot;.</td></tr><tr><td style="text-align:left;"><a id="property-whenlost"></a> <code>whenLost?</code></td><td style="text-align:left;"><code>&quot;tell&quot;</code> | <code>&quot;move&quot;</code></td><td style="text-align:left;">What happens when the worker that held it is gone. <code>tell</code>: the next call fails and says so, because changes of earlier calls may be lost; the call after it runs on another worker. <code>move</code>: calls continue on another worker at once, for files that all workers share. Default: <code>tell</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/workers/interfaces/WorkspaceOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const WorkspaceOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  WorkspaceOptions as default
};
