import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0019 The program as a bundle","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0019-bundle.md","filePath":"decisions/0019-bundle.md"}');
const _sfc_main = { name: "decisions/0019-bundle.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0019-the-program-as-a-bundle" tabindex="-1">0019 The program as a bundle <a class="header-anchor" href="#0019-the-program-as-a-bundle" aria-label="Permalink to &quot;0019 The program as a bundle&quot;">​</a></h1><p>The first prompt of the program must appear within eight times the time of <code>node -e 0</code>. The output of tsc was slower: it consists of about four hundred files, ours and those of dependencies, and finding them takes longer than running them. <strong>esbuild 0.28.2</strong> (a development dependency) joins them into two dozen files, of which a start reads only a few (<code>scripts/bundle-cli.mjs</code>, <code>dist/bundle</code>). That halves the time. <code>bench/cli.mjs</code> measures it.</p><p><code>bin/runahead.mjs</code> starts the bundle if there is one, else the output of tsc; both are the same program. Packages that read files next to them or are native (ripgrep, photon, unpdf, the grammar, the validators, the web page readers) are not in the bundle: they are loaded from the installation when they are first needed. The libraries are not bundled.</p><p>Loading more code lazily would have gained less, in many places, and one careless import undoes it.</p><p>Tests of the program start the sources in the same way (<code>packages/cli/test/run/program.ts</code>), which takes a third of the time of a TypeScript loader.</p></div>`);
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
