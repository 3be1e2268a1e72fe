import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0028 The engine without Node","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0028-engine-everywhere.md","filePath":"decisions/0028-engine-everywhere.md"}');
const _sfc_main = { name: "decisions/0028-engine-everywhere.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0028-the-engine-without-node" tabindex="-1">0028 The engine without Node <a class="header-anchor" href="#0028-the-engine-without-node" aria-label="Permalink to &quot;0028 The engine without Node&quot;">​</a></h1><p><strong>Feature detection in one file, no export conditions.</strong> <code>packages/engine/src/runtime/platform.ts</code> looks up what only Node has: <code>process.getBuiltinModule</code> for the file system and paths, <code>process.cwd</code>, <code>process.emitWarning</code>, <code>Buffer</code>, <code>setImmediate</code>. Nothing is imported from <code>node:</code>, so bundlers need no configuration, and there is one build for all runtimes. Export conditions would have needed a second build of that file, and a mapping for every tool that runs the sources. <code>test/tidy.test.ts</code> keeps these names out of the other files.</p><p>Without a file system, <code>resolveFilePlace</code> returns <code>fs:</code> places unchanged: <code>.</code> and <code>..</code> work, links are not resolved. A program with a virtual file system that has links passes its own <code>resolvePlace</code>. The default <code>cwd</code> is <code>/</code>.</p><p><strong>Tested in Chromium and in workerd.</strong> <code>packages/engine/test/runtimes/</code> runs the same turns in Node, in headless Chromium (playwright-core) and in workerd 1.20261104.1, a development dependency of 45 MB that needs glibc. Bun and Deno run the same turns in <code>npm run test:long</code>, which installs them in a temporary folder (190 MB together).</p><p><strong>Near names are suggested, at most two letters away.</strong> Unknown options, wrong types and misspelt functions of a tool throw when an executor is made. A declaration that cannot be used (a place without a scheme, a promise) is reported once per tool as a process warning, because the tool still works, only slower.</p><p><strong>No peer dependency on Zod.</strong> The engine never imports it, and the optional peer made <code>npm install</code> beside Zod 3 fail.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0028-engine-everywhere.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0028EngineEverywhere = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0028EngineEverywhere as default
};
