import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0011 Images and PDF","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0011-images-and-pdf.md","filePath":"decisions/0011-images-and-pdf.md"}');
const _sfc_main = { name: "decisions/0011-images-and-pdf.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0011-images-and-pdf" tabindex="-1">0011 Images and PDF <a class="header-anchor" href="#0011-images-and-pdf" aria-label="Permalink to &quot;0011 Images and PDF&quot;">​</a></h1><p>A model API rejects a whole request if one image is corrupt or too large. Read therefore checks each image before it enters the history: its type by its first bytes, its size in pixels by its header, and then by decoding it. An image with a side of more than 2,000 pixels, or of more than 3.75 MB, is scaled down. One of more than 64 million pixels is refused before it is decoded.</p><ul><li><strong>Images: <code>@silvia-odwyer/photon-node</code> 0.3.4</strong> (Apache-2.0, 2.2 MB, WebAssembly, no dependencies, no install script). Reads PNG, JPEG, GIF and WebP. On Node 20 it decodes and scales 12 megapixels in half a second. <code>sharp</code> has native packages for each platform, which we avoid if we can; <code>jimp</code> has no WebP.</li><li><strong>PDF: <code>unpdf</code> 1.7.0</strong> (MIT, 2.3 MB, pdf.js in one file, no dependencies). 1.8 and <code>pdfjs-dist</code> 6 need Node 22. Only text is read; the result says which pages have none.</li></ul><p>Both run in a worker thread with limits of 30 seconds and 512 MB of heap, because a parser of foreign files can loop, and photon traps on a corrupt image. The script of the thread is a string, because a thread cannot load TypeScript on Node 20. The packages are loaded when the first image or PDF is read.</p></div>`);
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
