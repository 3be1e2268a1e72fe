import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"TelemetryOptions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/@runahead/agent/otel/interfaces/TelemetryOptions.md","filePath":"reference/@runahead/agent/otel/interfaces/TelemetryOptions.md"}');
const _sfc_main = { name: "reference/@runahead/agent/otel/interfaces/TelemetryOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="telemetryoptions" tabindex="-1">TelemetryOptions <a class="header-anchor" href="#telemetryoptions" aria-label="Permalink to &quot;TelemetryOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">import</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> { </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">type</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> TelemetryOptions } </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">from</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;@runahead/agent/otel&quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">;</span></span></code></pre></div><p>Options of <a href="./../functions/telemetry.html">telemetry</a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th style="text-align:left;">Property</th><th style="text-align:left;">Type</th><th style="text-align:left;">Description</th></tr></thead><tbody><tr><td style="text-align:left;"><a id="property-agentname"></a> <code>agentName?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The name of the agent, for its spans.</td></tr><tr><td style="text-align:left;"><a id="property-capturecontent"></a> <code>captureContent?</code></td><td style="text-align:left;"><code>boolean</code></td><td style="text-align:left;">Whether to record prompts, answers, and inputs and outputs of calls. Default: false.</td></tr><tr><td style="text-align:left;"><a id="property-conversationid"></a> <code>conversationId?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The id of the session.</td></tr><tr><td style="text-align:left;"><a id="property-provider"></a> <code>provider?</code></td><td style="text-align:left;"><code>string</code></td><td style="text-align:left;">The provider, as named in the conventions: <code>anthropic</code>, <code>openai</code>, <code>aws.bedrock</code>, …</td></tr><tr><td style="text-align:left;"><a id="property-tracer"></a> <code>tracer?</code></td><td style="text-align:left;"><code>Tracer</code></td><td style="text-align:left;">Creates the spans. Default: a tracer of the global tracer provider.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/@runahead/agent/otel/interfaces/TelemetryOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TelemetryOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TelemetryOptions as default
};
