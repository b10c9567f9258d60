// Other programs that take every connection of a PostgreSQL server. They speak its protocol themselves: a process for each
// of them would be slow.

import net from "node:net";
import { USER } from "./pg.mjs";

const text = (...parts) => Buffer.from(parts.map((part) => `${part}\0`).join(""));

function message(type, body) {
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function startup(database) {
  const body = Buffer.concat([text("user", USER, "database", database, "application_name", "crowd"), Buffer.alloc(1)]);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(196608, 4); // protocol 3.0
  return Buffer.concat([head, body]);
}

// The socket of a session that is ready for queries, or null if the server refused it.
const connect = (port, database) =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(startup(database)));
    let received = Buffer.alloc(0);
    const end = (result) => (socket.removeAllListeners("data"), socket.on("data", () => {}), resolve(result));
    socket.on("error", () => end(null)).on("close", () => end(null));
    socket.on("data", (bytes) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= 5 && received.length > received.readInt32BE(1)) {
        const type = String.fromCharCode(received[0]);
        received = received.subarray(1 + received.readInt32BE(1));
        if (type === "Z") return end(socket);
        if (type === "E") return socket.destroy();
      }
    });
  });

export class Crowd {
  constructor(t, cluster, database) {
    Object.assign(this, { port: cluster.port, database, sockets: [] });
    t.after(() => this.leave());
  }

  // Connects until the server refuses. Returns how many connections the crowd then has.
  async fill() {
    for (let socket; (socket = await connect(this.port, this.database)) !== null; ) this.sockets.push(socket);
    return this.sockets.length;
  }

  // Runs a statement in a session of the crowd: there is no connection left for another program. Its result is not read.
  run(sql) {
    this.sockets[0].write(message("Q", text(sql)));
  }

  leave() {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }
}
