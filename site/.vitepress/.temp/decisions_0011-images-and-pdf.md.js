import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0011 Images and PDF","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0011-images-and-pdf.md","filePath":"decisions/0011-images-and-pdf.md"}');
const _sfc_main = { name: "decisions/0011-images-and-pdf.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0011-images-and-pdf" tabindex="-1">0011 Images and PDF <a class="header-anchor" href="#_0011-images-and-pdf" aria-label="Permalink to &quot;0011 Images and PDF&quot;">​</a></h1><p>A model&#39;s API refuses a whole request for one image that is corrupt or too large. So Read looks at each image before it enters the history: its type by its first bytes, its size in pixels by its header, and then by decoding it. One that is larger than 2,000 pixels on a side, or than 3.75 MB, is made smaller; one of more than 64 million pixels is refused before it is decoded.</p><ul><li><strong>Images: <code>@silvia-odwyer/photon-node</code> 0.3.4</strong> (Apache-2.0, 2.2 MB, WebAssembly, no dependency, no install script). Reads PNG, JPEG, GIF and WebP; tried on Node 20: 12 megapixels decoded and made smaller in half a second. <code>sharp</code> has native packages for each platform, which this repo avoids where it can; <code>jimp</code> brings no WebP.</li><li><strong>PDF: <code>unpdf</code> 1.7.0</strong> (MIT, 2.3 MB, pdf.js in one file, no dependency). 1.8 and <code>pdfjs-dist</code> 6 need Node 22. Only text is read: a page without any is said to be without.</li></ul><p>Both run in a thread, with 30 seconds and 512 MB of heap: a reader of foreign files may loop, and photon traps on a corrupt image. The thread&#39;s script is a text, since a thread cannot load TypeScript on Node 20. The packages are loaded when the first image or PDF is read.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0011-images-and-pdf.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0011ImagesAndPdf = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0011ImagesAndPdf as default
};
