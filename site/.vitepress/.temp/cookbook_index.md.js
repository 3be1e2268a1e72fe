import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Cookbook","description":"","frontmatter":{},"headers":[],"relativePath":"cookbook/index.md","filePath":"cookbook/index.md"}');
const _sfc_main = { name: "cookbook/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="cookbook" tabindex="-1">Cookbook <a class="header-anchor" href="#cookbook" aria-label="Permalink to &quot;Cookbook&quot;">​</a></h1><p>Each recipe is a complete program in <code>examples/</code> that needs no API key; the tests run all of them. Clone the repository, run <code>npm run build</code> once, then <code>node --import tsx examples/NAME.ts</code>.</p><ul><li><a href="./chat-server.html">Chat server with approvals</a>: a web page, one session per user, approvals in the browser.</li><li><a href="./batch.html">Batch of prompts</a>: 500 prompts with one rate limit and one budget; continues after a stop.</li><li><a href="./fleet.html">Tools on a fleet</a>: an agent here, its calls on other machines.</li><li><a href="./custom-model.html">Custom model</a>: any API that streams, in about 60 lines.</li><li><a href="./custom-ui.html">Custom UI</a>: a view of the agent that is updated by every event.</li></ul><p>Shorter programs for single features: <code>examples/quick-start.ts</code> (a stream), <code>examples/batch.ts</code> (calls without a stream), <code>examples/permissions.ts</code> and <code>examples/rules.ts</code>, <code>examples/sessions.ts</code>, <code>examples/stopping.ts</code>, <code>examples/recovery.ts</code>, <code>examples/large-results.ts</code>, <code>examples/otel.ts</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("cookbook/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
