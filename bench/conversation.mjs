// conversation.mjs - sends requests as bytes over one connection, without a client library that would add,
// fold, or reorder headers.
import net from "node:net";

export function requestBytes(port, { method = "GET", path, headers = {}, body = "" }) {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== "") lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

// The first response in the bytes, or null if it is incomplete.
function takeAnswer(bytes) {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [first, ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const length = headers.find(([name]) => name.toLowerCase() === "content-length");
  const size = end + 4 + (length ? Number(length[1]) : 0);
  if (bytes.length < size) return null;
  return { status: Number(first.split(" ")[1]), headers, body: bytes.subarray(end + 4, size), size };
}

export class Conversation {
  #socket;
  #received = Buffer.alloc(0);
  #waiting = null;

  static open(port) {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ host: "127.0.0.1", port, noDelay: true });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Conversation(socket));
      });
    });
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      const answer = takeAnswer(this.#received);
      if (answer === null || this.#waiting === null) return;
      this.#received = this.#received.subarray(answer.size);
      const { resolve } = this.#waiting;
      this.#waiting = null;
      resolve(answer);
    });
    const end = (error) => {
      this.#waiting?.reject(error ?? new Error("the connection was closed before the answer was there"));
      this.#waiting = null;
    };
    socket.on("error", end);
    socket.on("close", () => end());
  }

  // One request at a time.
  ask(bytes) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(bytes);
    });
  }

  close() {
    this.#socket.destroy();
  }
}

export async function askOnce(port, request) {
  const conversation = await Conversation.open(port);
  try {
    return await conversation.ask(requestBytes(port, request));
  } finally {
    conversation.close();
  }
}

// The responses in the order of the requests, over a few parallel connections.
export async function askMany(port, requests, width = 16) {
  const answers = new Array(requests.length);
  let turn = 0;
  const work = async () => {
    const conversation = await Conversation.open(port);
    try {
      while (turn < requests.length) {
        const mine = turn++;
        answers[mine] = await conversation.ask(requestBytes(port, requests[mine]));
      }
    } finally {
      conversation.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, requests.length) }, work));
  return answers;
}

// The response to the first request, and a second one on the same connection: a server that closes the
// connection after each response would be measured at connecting.
export async function askKeptAlive(port, request, second = request) {
  const conversation = await Conversation.open(port);
  try {
    const answer = await conversation.ask(requestBytes(port, request));
    await conversation.ask(requestBytes(port, second)).catch(() => {
      throw new Error("the connection is not kept after an answer");
    });
    return answer;
  } finally {
    conversation.close();
  }
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
