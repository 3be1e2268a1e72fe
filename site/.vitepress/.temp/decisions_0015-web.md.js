import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0015 The web with undici, ipaddr.js, linkedom, Readability and turndown","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0015-web.md","filePath":"decisions/0015-web.md"}');
const _sfc_main = { name: "decisions/0015-web.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0015-the-web-with-undici-ipaddr-js-linkedom-readability-and-turndown" tabindex="-1">0015 The web with undici, ipaddr.js, linkedom, Readability and turndown <a class="header-anchor" href="#_0015-the-web-with-undici-ipaddr-js-linkedom-readability-and-turndown" aria-label="Permalink to &quot;0015 The web with undici, ipaddr.js, linkedom, Readability and turndown&quot;">​</a></h1><p><strong>Connections with undici 7.30.2</strong> (8 needs Node 22.19), not with Node&#39;s own <code>fetch</code>: whether an address may be reached must be decided on the address that is connected to, and only an agent of our own lets us see it. <code>request</code> and not <code>fetch</code>, so that nothing is unpacked, followed or kept that we do not unpack, follow or keep ourselves: a packed answer is counted as it is unpacked. Each fetch has an agent of its own, so nothing outlives its call. undici notices an abort only once it is connected, and its agent&#39;s end leaves connections that are still being made; both are seen to here.</p><p><strong>Addresses with ipaddr.js 2.5.0</strong>: which ranges are not public is a long list that others keep. Beyond it, IPv6 outside <code>2000::/3</code> and Azure&#39;s <code>168.63.129.16</code> are refused.</p><p><strong>Pages with linkedom 0.18.14, @mozilla/readability 0.6.0, turndown 7.2.5 and turndown-plugin-gfm 1.0.2.</strong> linkedom 0.18.15 could not be installed; jsdom took nine times as long. turndown is given text, not linkedom&#39;s nodes: those have no <code>rows</code>, which its tables need. All of it runs in a process with a limit of time and memory, as a script in a string, so that it runs from the sources and from a build alike. Not in a thread: 10 MB of <code>&lt;i&gt;x&lt;/i&gt;</code> made a thread run out of its 512 MB in one large allocation, and V8 then ended the whole program, whatever the thread&#39;s own limit said. A page that does not come through gives its bare text.</p><p><strong>No question of ours to a model in here.</strong> <code>WebFetch</code> is given a function that answers a question about a page; without it the page is the result. So the tools know no model.</p><p><strong>AI SDK and Anthropic SDK by their form</strong>, as in <a href="./0009-ai-sdk-models.html">0009</a>: <code>ai</code> 6.0.326 and <code>@anthropic-ai/sdk</code> 1.8.0 are development dependencies, for tests with real tools of theirs.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0015-web.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0015Web = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0015Web as default
};
