// A proxy between the service and a third-party client. It forwards everything unchanged and reports each
// request with its response, for validation against the OpenAPI document. `seen` lists them all.

import http from "node:http";
import { once } from "node:events";

const whole = async (stream) => {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
};

export class Witness {
  // `target` returns the origin of the service, which starts later; `see(request, answer)` must not throw.
  static async open(target, see) {
    const witness = new Witness();
    witness.seen = [];
    const note = (request, answer) => {
      witness.seen.push({ ...request, status: answer.status, data: answer.data });
      return see(request, answer);
    };
    witness.server = http.createServer((request, response) => pass(target(), note, request, response).catch((error) => response.destroy(error)));
    witness.server.listen(0, "127.0.0.1");
    await once(witness.server, "listening");
    witness.origin = `http://127.0.0.1:${witness.server.address().port}`;
    return witness;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

async function pass(target, see, request, response) {
  const body = await whole(request);
  const { hostname, port } = new URL(target);
  const onward = http.request({ host: hostname, port, method: request.method, path: request.url, headers: request.headers, agent: false });
  onward.end(body);
  const [answer] = await once(onward, "response");
  const bytes = await whole(answer);
  const text = bytes.toString("utf8");
  const type = (name) => name?.startsWith("application/json");
  await see(
    {
      method: request.method,
      where: request.url,
      form: request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ? [...new URLSearchParams(body.toString())] : undefined,
      json: type(request.headers["content-type"]) && body.length > 0 ? JSON.parse(body) : undefined,
      headers: request.headers,
    },
    { status: answer.statusCode, headers: answer.headers, text, data: type(answer.headers["content-type"]) && text ? JSON.parse(text) : undefined },
  );
  response.writeHead(answer.statusCode, answer.rawHeaders);
  response.end(bytes);
}
