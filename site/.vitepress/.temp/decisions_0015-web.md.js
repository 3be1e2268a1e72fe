import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0015 The web with undici, ipaddr.js, linkedom, Readability and turndown","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0015-web.md","filePath":"decisions/0015-web.md"}');
const _sfc_main = { name: "decisions/0015-web.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0015-the-web-with-undici-ipaddrjs-linkedom-readability-and-turndown" tabindex="-1">0015 The web with undici, ipaddr.js, linkedom, Readability and turndown <a class="header-anchor" href="#0015-the-web-with-undici-ipaddrjs-linkedom-readability-and-turndown" aria-label="Permalink to &quot;0015 The web with undici, ipaddr.js, linkedom, Readability and turndown&quot;">​</a></h1><p><strong>Connections with undici 7.30.2</strong> (8 needs Node 22.19), not with Node&#39;s <code>fetch</code>. Whether an address is allowed must be decided on the address that the socket connects to, and only our own agent can see it. We use <code>request</code> and not <code>fetch</code>, so that we control decompression, redirects and caching: a compressed answer is counted while it is decompressed. Each fetch has its own agent, so nothing outlives its call. undici notices an abort only after connecting, and closing its agent leaves connections that are still being made; our code handles both.</p><p><strong>Addresses with ipaddr.js 2.5.0</strong>: the list of ranges that are not public is long, and others maintain it. In addition, IPv6 outside <code>2000::/3</code> and Azure&#39;s <code>168.63.129.16</code> are refused.</p><p><strong>Pages with linkedom 0.18.14, @mozilla/readability 0.6.0, turndown 7.2.5 and turndown-plugin-gfm 1.0.2.</strong> linkedom 0.18.15 could not be installed; jsdom took nine times as long. turndown gets text, not linkedom&#39;s nodes, because these have no <code>rows</code>, which its tables need. All of it runs in a process with limits of time and memory. The script is a string, so that it runs from the sources and from a build. A thread is not enough: 10 MB of <code>&lt;i&gt;x&lt;/i&gt;</code> exhausted the 512 MB of a thread in one large allocation, and V8 then ended the whole program. If a page cannot be converted, the result is its plain text.</p><p><strong>The tools call no model.</strong> <code>WebFetch</code> takes a function that answers a question about a page. Without it, the page is the result.</p><p><strong>AI SDK and Anthropic SDK by their interfaces</strong>, as in <a href="./0009-ai-sdk-models.html">0009</a>: <code>ai</code> 6.0.326 and <code>@anthropic-ai/sdk</code> 1.8.0 are development dependencies, for tests with their real tools.</p></div>`);
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
