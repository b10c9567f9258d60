// A stand-in for the model APIs of Anthropic, OpenAI, and Google. Instead of a model it has a list of tool calls:
// each response asks for the next one, and a request with all results gets a final sentence. `results` are the
// texts that a model would have read.

import { once } from "node:events";
import http from "node:http";

export const FINAL = "All calls are done.";

// The name under which the assistant offers a tool: its own prefix, then ours.
const offered = (names, tool) => names.find((name) => name.endsWith(tool));

const text = (content) => (typeof content === "string" ? content : JSON.stringify(content));

const sse = (response, events) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of events) response.write(`${name ? `event: ${name}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  response.end();
};

// Each API: the path of a request for text, the tools in it, the results so far, and how to answer.
const APIS = [
  {
    path: /\/v1\/messages(\?|$)/, // Anthropic
    tools: ({ tools = [] }) => tools.map(({ name }) => name),
    results: ({ messages }) => messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === "tool_result").map(({ content }) => text(content)),
    answer(response, { model, stream }, call, n) {
      const block = call ? { type: "tool_use", id: `toolu_${n}`, name: call.name, input: call.args } : { type: "text", text: FINAL };
      const message = { id: `msg_${n}`, type: "message", role: "assistant", model, stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
      if (!stream) return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...message, content: [block] }));
      const delta = call ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) } : { type: "text_delta", text: FINAL };
      const empty = call ? { ...block, input: {} } : { ...block, text: "" };
      const events = [
        { type: "message_start", message: { ...message, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: empty },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
        { type: "message_stop" },
      ];
      return sse(response, events.map((event) => [event.type, event]));
    },
  },
  {
    path: /\/v1\/responses(\?|$)/, // OpenAI, Responses
    tools: ({ tools = [] }) => tools.flatMap(({ type, name, tools: inner }) => (type === "namespace" ? inner.map((one) => `${name}|${one.name}`) : [name ?? ""])),
    results: ({ input }) => input.filter(({ type }) => type === "function_call_output").map(({ output }) => text(output)),
    answer(response, { model }, call, n) {
      const [namespace, name] = call?.name.includes("|") ? call.name.split("|") : [undefined, call?.name];
      const item = call
        ? { type: "function_call", id: `fc_${n}`, call_id: `call_${n}`, name, namespace, arguments: JSON.stringify(call.args), status: "completed" }
        : { type: "message", id: `msg_${n}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: FINAL, annotations: [] }] };
      const whole = { id: `resp_${n}`, object: "response", model, status: "completed", output: [item], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } } };
      const events = [
        { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: whole },
      ];
      return sse(response, events.map((event) => [event.type, event]));
    },
  },
  {
    path: /\/v1\/chat\/completions(\?|$)/, // OpenAI, Chat Completions
    tools: ({ tools = [] }) => tools.map((one) => one.function.name),
    results: ({ messages }) => messages.filter(({ role }) => role === "tool").map(({ content }) => text(content)),
    answer(response, { model }, call, n) {
      const delta = call ? { role: "assistant", tool_calls: [{ index: 0, id: `call_${n}`, type: "function", function: { name: call.name, arguments: JSON.stringify(call.args) } }] } : { role: "assistant", content: FINAL };
      const chunk = (choice) => ["", { id: `chatcmpl-${n}`, object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, finish_reason: null, ...choice }] }];
      return sse(response, [chunk({ delta }), chunk({ delta: {}, finish_reason: call ? "tool_calls" : "stop" }), ["", "[DONE]"]]);
    },
  },
  {
    path: /:(streamGenerateContent|generateContent)/, // Google
    tools: ({ tools = [] }) => tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    results: ({ contents }) => contents.flatMap(({ parts = [] }) => parts).filter((part) => part.functionResponse).map(({ functionResponse }) => text(functionResponse.response)),
    answer(response, body, call, n, url) {
      const part = call ? { functionCall: { id: `call_${n}`, name: call.name, args: call.args } } : { text: FINAL };
      const whole = { candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }, modelVersion: "stand-in" };
      if (url.includes("streamGenerateContent")) return sse(response, [["", whole]]);
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    },
  },
];

export class ModelServer {
  // `calls`: { tool, args } in order.
  static async open(t, calls) {
    const server = new ModelServer();
    Object.assign(server, { calls, requests: [], results: [], tools: [] });
    server.http = http.createServer((request, response) => server.take(request, response).catch((error) => response.destroy(error)));
    server.http.listen(0, "127.0.0.1");
    await once(server.http, "listening");
    server.origin = `http://127.0.0.1:${server.http.address().port}`;
    t.after(() => {
      server.http.closeAllConnections();
      server.http.close();
    });
    return server;
  }

  async take(request, response) {
    let bytes = "";
    for await (const piece of request.setEncoding("utf8")) bytes += piece;
    this.requests.push(`${request.method} ${request.url}`);
    const api = request.method === "POST" && APIS.find(({ path }) => path.test(request.url));
    if (!api) return response.writeHead(404, { "content-type": "application/json" }).end("{}");
    const body = JSON.parse(bytes);
    const names = api.tools(body);
    const results = api.results(body);
    const next = this.calls[results.length];
    const name = next && offered(names, next.tool);
    if (names.length > this.tools.length) this.tools = names;
    // Assistants also ask for titles and the like, without our tools.
    if (results.length > this.results.length) this.results = results;
    return api.answer(response, body, name && { name, args: next.args }, results.length, request.url);
  }
}
