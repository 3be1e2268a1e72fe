import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0009 Models of the AI SDK by their interface","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0009-ai-sdk-models.md","filePath":"decisions/0009-ai-sdk-models.md"}');
const _sfc_main = { name: "decisions/0009-ai-sdk-models.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0009-models-of-the-ai-sdk-by-their-interface" tabindex="-1">0009 Models of the AI SDK by their interface <a class="header-anchor" href="#0009-models-of-the-ai-sdk-by-their-interface" aria-label="Permalink to &quot;0009 Models of the AI SDK by their interface&quot;">​</a></h1><p><code>aiSdk(model)</code> uses any language model object of the AI SDK through its streaming method <code>doStream</code>, so that the SDK&#39;s tool loop, retries and time limits are not involved. Nothing of the SDK is imported: we declare an interface that the SDK&#39;s types satisfy. Versions 2 (AI SDK 5), 3 (6) and 4 (7) of the specification differ in files, finish reasons and usage, and all are supported. The provider packages are development dependencies, for tests over real HTTP. Those of version 4 need Node 22, so version 4 is tested with objects of its shape only.</p><p>A call is taken when its input closes, because providers for Chat Completions hold complete calls back until the end of the response. Its parts are passed to the engine as events of the Messages API, so that one place handles order, previews and cut calls. Its block waits for the provider&#39;s <code>tool-call</code>, which can carry data that must be sent back with it.</p><p>The history stays in the format of the Messages API. Thinking that Anthropic signed or encrypted becomes blocks of that API, unchanged. Parts that only their provider understands (other reasoning, provider-run tools and their results, files) are kept as blocks of type <code>ai_sdk_part</code>, and data that must be sent back with text or a call as <code>providerOptions</code>; other models leave both out. Conversely, blocks of tools that ran on Anthropic&#39;s or OpenAI&#39;s servers, and OpenAI&#39;s own reasoning, are left out if the history continues with an AI SDK model.</p><p>A finish reason <code>other</code> or <code>unknown</code> without an explanation counts as a cut, because providers report it when the connection ended before the response did.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0009-ai-sdk-models.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0009AiSdkModels = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0009AiSdkModels as default
};
