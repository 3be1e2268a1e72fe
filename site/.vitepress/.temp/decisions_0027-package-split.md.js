import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0027 Ten packages","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0027-package-split.md","filePath":"decisions/0027-package-split.md"}');
const _sfc_main = { name: "decisions/0027-package-split.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0027-ten-packages" tabindex="-1">0027 Ten packages <a class="header-anchor" href="#0027-ten-packages" aria-label="Permalink to &quot;0027 Ten packages&quot;">​</a></h1><p><code>packages/agent</code> had 30,000 lines and 16 dependencies: anyone who wanted the permission judge or the loop also installed ripgrep, an image library and a DOM. It is now several packages, each of which is useful without the others.</p><table tabindex="0"><thead><tr><th>choice</th><th>reason</th></tr></thead><tbody><tr><td><code>base</code> is a package</td><td>Shapes of foreign data, errors, locks and processes are needed by six packages. The engine cannot hold them (it runs without Node), and six copies would drift. It is published because the others depend on it, and it is not a public API.</td></tr><tr><td><code>agentTool</code> is in <code>agent</code>, not in <code>tools</code></td><td>A sub-agent is a loop, and <code>tools</code> does not know the loop.</td></tr><tr><td>Telemetry is in <code>agent</code></td><td>It translates the agent&#39;s events. An adapter that depends on the engine only could not name them.</td></tr><tr><td><code>fromAiSdk</code> and <code>fromAnthropicTool</code> are in <code>tools</code></td><td>They turn other people&#39;s tools into ours, and shrink images with the same code as Read.</td></tr><tr><td><code>@runahead/engine/wire</code></td><td>Definitions of tools, blocks of messages and whole calls are needed by the agent and by the adapters, which both depend on the engine.</td></tr><tr><td>The timeline is <code>@runahead/agent/timeline</code></td><td>It is loaded only by those who draw.</td></tr><tr><td>The program imports only the harness and the workers</td><td>What it needs of other packages is exported by the harness, so that an embedder can build the same program. Its bundle requires native parts of four packages at run time, so those are dependencies too.</td></tr><tr><td>The agent has no schema library</td><td>zod is 8 MB. The only schema of the agent is the input of the Agent tool.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0027-package-split.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0027PackageSplit = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0027PackageSplit as default
};
