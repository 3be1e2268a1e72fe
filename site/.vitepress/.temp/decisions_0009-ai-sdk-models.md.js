import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0009 Models of the AI SDK by their form","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0009-ai-sdk-models.md","filePath":"decisions/0009-ai-sdk-models.md"}');
const _sfc_main = { name: "decisions/0009-ai-sdk-models.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0009-models-of-the-ai-sdk-by-their-form" tabindex="-1">0009 Models of the AI SDK by their form <a class="header-anchor" href="#_0009-models-of-the-ai-sdk-by-their-form" aria-label="Permalink to &quot;0009 Models of the AI SDK by their form&quot;">​</a></h1><p><code>aiSdk(model)</code> takes any language model object of the AI SDK through its own streaming call, <code>doStream</code>, so that the SDK&#39;s tool loop, retries and time limits stay out. Nothing of the SDK is imported: what is used of a model is an interface of ours, which the SDK&#39;s types fit. Versions 2 (AI SDK 5), 3 (6) and 4 (7) of the specification differ in the forms of files, finish reasons and usage, and all are read. The provider packages are development dependencies, for tests over real HTTP; version 4&#39;s need Node 22, so it is tested by its form only.</p><p>A call is taken when its input closes, since providers for Chat Completions keep whole calls back to the end of the response. Its parts are told to the engine in the Messages API&#39;s events, so that order, previews and cut calls are dealt with in one place. Its block waits for the provider&#39;s <code>tool-call</code>, which may bring what must go back with it.</p><p>The history stays in the Messages API&#39;s form. Thinking that Anthropic signed or sealed becomes the blocks of that API, to the letter. What only its provider understands (other reasoning, tools that the provider ran and their results, files) is kept as a block of type <code>ai_sdk_part</code>, and what must go back with text or a call as its member <code>providerOptions</code>; the other models leave both out. The other way round, blocks of tools that ran on Anthropic&#39;s or OpenAI&#39;s own servers, and OpenAI&#39;s own reasoning, are left out where a history goes on with an AI SDK model.</p><p>A finish reason <code>other</code> or <code>unknown</code> that the provider does not explain is a cut: providers say so when the connection ended before the response did.</p></div>`);
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
