// Two clients: `ask` sends one well-formed request, `Connection` sends arbitrary bytes.

import http from "node:http";
import https from "node:https";
import net from "node:net";
import { PATIENCE, until } from "./until.mjs";

// Sends one request on a new connection. The body is `form` (an object), `json`, or `body`. Returns
// status, headers, text, and data if the response is JSON.
export function ask(origin, method, path, { headers = {}, form, json, body, tls, within = 60_000 } = {}) {
  const { protocol, hostname, port } = new URL(origin);
  const sent = { ...headers };
  if (form !== undefined) {
    body = new URLSearchParams(form).toString();
    sent["content-type"] ??= "application/x-www-form-urlencoded";
  } else if (json !== undefined) {
    body = JSON.stringify(json);
    sent["content-type"] ??= "application/json";
  }
  if (body !== undefined && sent["transfer-encoding"] === undefined)
    sent["content-length"] ??= Buffer.byteLength(body);
  const library = protocol === "https:" ? https : http;
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const request = library.request({ host, port, method, path, headers: sent, agent: false, ...tls });
    request.setTimeout(within * PATIENCE, () => request.destroy(new Error(`no answer to ${method} ${path} in ${within} ms`)));
    request.on("error", reject);
    request.on("response", (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        const { statusCode: status, headers, rawHeaders } = response;
        const data = /^application\/json/.test(headers["content-type"] ?? "") && text ? JSON.parse(text) : undefined;
        resolve({ status, headers, rawHeaders, text, data });
      });
    });
    request.end(body);
  });
}

// The first complete response in the bytes, or null while it is incomplete. `headless`: the request was
// HEAD, so the response has no body.
export function parseAnswer(bytes, { headless = false, ended = false } = {}) {
  const split = bytes.indexOf("\r\n\r\n");
  if (split < 0) return null;
  const [first, ...lines] = bytes.toString("latin1", 0, split).split("\r\n");
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(first) ?? [];
  if (status === undefined) throw new Error(`not an answer: ${JSON.stringify(first)}`);
  const headers = {};
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`not a header: ${JSON.stringify(line)}`);
    headers[name.toLowerCase()] = value;
  }
  const start = split + 4;
  const answer = (length) => ({
    status: Number(status),
    headers,
    text: bytes.toString("utf8", start, start + length),
    rest: bytes.subarray(start + length),
  });
  if (headless || status === "304" || status === "204" || status === "100") return answer(0);
  if (headers["content-length"] === undefined) return ended ? answer(bytes.length - start) : null;
  const length = Number(headers["content-length"]);
  return bytes.length - start < length ? null : answer(length);
}

export class Connection {
  constructor(socket) {
    this.socket = socket;
    this.bytes = Buffer.alloc(0);
    this.closed = false;
    this.reset = false;
    socket.on("data", (piece) => (this.bytes = Buffer.concat([this.bytes, piece])));
    socket.on("end", () => (this.closed = true));
    socket.on("close", () => (this.closed = true));
    socket.on("error", () => (this.closed = this.reset = true));
  }

  static async open(port, { host = "127.0.0.1", reading = true, localAddress } = {}) {
    // pauseOnConnect is for servers only: without a "data" listener a socket reads nothing by itself.
    const socket = net.connect({ host, port, localAddress, allowHalfOpen: true });
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    const connection = new Connection(socket);
    if (!reading) socket.pause();
    return connection;
  }

  send(bytes) {
    if (!this.socket.destroyed) this.socket.write(Buffer.from(bytes, "latin1"));
    return this;
  }

  end() {
    this.socket.end();
    return this;
  }

  // The next complete response. The HTTP library's response to a malformed request may have no length;
  // it ends with the connection.
  async answer(options = {}, within = 15_000) {
    for (;;) {
      const found = await until(
        `an answer; there was ${JSON.stringify(this.bytes.toString("latin1").slice(0, 300))}`,
        () => {
          const answer = parseAnswer(this.bytes, { ...options, ended: this.closed });
          if (answer === null && this.closed)
            throw new Error(`closed after ${JSON.stringify(this.bytes.toString("latin1").slice(0, 300))}`);
          return answer;
        },
        within,
      );
      this.bytes = found.rest;
      if (found.status !== 100) return found;
      this.continued = true;
    }
  }

  async untilClosed(within = 15_000) {
    return until("the other side to close the connection", () => this.closed, within);
  }

  destroy() {
    this.socket.destroy();
  }

  // Resets the connection, as a client that crashed does.
  abort() {
    this.socket.resetAndDestroy();
  }
}
