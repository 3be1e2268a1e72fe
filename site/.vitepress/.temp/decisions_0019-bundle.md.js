import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0019 The program as a bundle","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0019-bundle.md","filePath":"decisions/0019-bundle.md"}');
const _sfc_main = { name: "decisions/0019-bundle.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0019-the-program-as-a-bundle" tabindex="-1">0019 The program as a bundle <a class="header-anchor" href="#_0019-the-program-as-a-bundle" aria-label="Permalink to &quot;0019 The program as a bundle&quot;">​</a></h1><p>The program&#39;s first prompt must be there within eight times what <code>node -e 0</code> takes. As tsc builds it, it was not: it is made of some four hundred files of ours and of its dependencies, and finding them takes longer than running them. <strong>esbuild 0.28.2</strong> (a development dependency) joins them into two dozen files, of which a start reads a few (<code>scripts/bundle-cli.mjs</code>, <code>dist/bundle</code>): about half the time. <code>bench/cli.mjs</code> measures it.</p><p><code>bin/runahead.mjs</code> starts the bundle where there is one, else what tsc built: both are the same program. Packages that find files beside themselves or are native (ripgrep, photon, unpdf, the grammar, the validators, what reads web pages) are not in it: they are loaded from where the agent is installed, when they are first needed. The libraries, <code>@runahead/engine</code> and <code>@runahead/agent</code>, are not bundled.</p><p>Rather than loading more lazily: that was worth less, had to be done in many places, and is undone by one careless import.</p><p>Tests of the shell use the same way to start the sources (<code>packages/cli/test/run/program.ts</code>): a process each in a third of the time that a loader of TypeScript takes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0019-bundle.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0019Bundle = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0019Bundle as default
};
