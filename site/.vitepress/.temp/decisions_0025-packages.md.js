import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0025 What is published, and how it is checked","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0025-packages.md","filePath":"decisions/0025-packages.md"}');
const _sfc_main = { name: "decisions/0025-packages.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0025-what-is-published-and-how-it-is-checked" tabindex="-1">0025 What is published, and how it is checked <a class="header-anchor" href="#0025-what-is-published-and-how-it-is-checked" aria-label="Permalink to &quot;0025 What is published, and how it is checked&quot;">​</a></h1><p><strong>From a clean build.</strong> <code>npm run pack:check</code> copies the packages into a new folder, builds and packs them there. So files of an earlier build cannot get into a tarball. The program includes <a href="./0019-bundle.html">its bundle</a>, which is most of its 1 MB.</p><p><strong>No source maps.</strong> They would point to sources that are not in the tarball, and the sources would double its size. The compiled code keeps the lines and names of the sources.</p><table tabindex="0"><thead><tr><th>what</th><th>checked by</th></tr></thead><tbody><tr><td>exports, files, types first</td><td>publint 0.3.25, strict</td></tr><tr><td>types as an importer finds them</td><td>@arethetypeswrong/cli 0.18.5, <code>esm-only</code>: there is no CommonJS, because Node 20.19 can <code>require</code> a module</td></tr><tr><td>size and number of files, no tests, no maps</td><td>limits in <code>scripts/pack-check.mjs</code></td></tr><tr><td>tree shaking</td><td>esbuild 0.28.2: one export compared with everything, by stated factors</td></tr><tr><td>that it works</td><td>an empty project with the tarballs: the quick starts, the program directly and through <code>npx</code>, with a recording; also on Node 22 and 24 with <code>--nodes 22,24</code></td></tr></tbody></table><p><strong>The size of the engine.</strong> Everything that it exports is 57 KB minified: the executor, all wire adapters, <code>runTools</code> and recovery. It has no dependencies. The functions that check and repair histories are a separate entry, <code>@runahead/engine/history</code>, 9 KB more.</p><p><strong>One version for all packages</strong>, with Changesets 2.31.1: they are released together and always fit each other. Changesets writes versions and changelogs. The tarballs that are published are those that <code>npm run pack:check -- --out FOLDER</code> kept, because these are the ones that were checked.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0025-packages.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0025Packages = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0025Packages as default
};
