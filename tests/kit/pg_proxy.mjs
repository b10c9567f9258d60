// A proxy between a service and PostgreSQL, which loses commits or delays statements.

import assert from "node:assert/strict";
import net from "node:net";
import { Cluster, databaseAddress } from "./pg.mjs";
import { world } from "./world.mjs";

// `onCommit` decides once what happens to the next COMMIT. `delayMs` is how long everything that the service
// sends waits on its way to the database.
async function proxy(t, cluster) {
  const sockets = new Set();
  const between = { onCommit: null, delayMs: 0 };
  const server = net.createServer((client) => {
    const upstream = net.connect(cluster.port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => (client.destroy(), upstream.destroy()));
    }
    client.on("data", (bytes) => {
      const decide = between.onCommit;
      if (decide === null || !bytes.includes("COMMIT"))
        return between.delayMs === 0 ? upstream.write(bytes) : setTimeout(() => upstream.writable && upstream.write(bytes), between.delayMs);
      between.onCommit = null;
      return decide({ client, upstream, bytes });
    });
    upstream.on("data", (bytes) => client.write(bytes));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => (sockets.forEach((socket) => socket.destroy()), server.close()));
  between.port = server.address().port;
  return between;
}

// A service whose connections to a cluster of its own lead through the proxy, with the user "first".
export async function behindProxy(t, settings) {
  const cluster = await Cluster.start({ durable: true });
  t.after(() => cluster.end());
  const w = await world(t, { cluster, start: false });
  const between = await proxy(t, cluster);
  w.address = databaseAddress(between.port, w.database);
  await w.start(settings);
  assert.equal((await w.signUp({ username: "first" })).status, 303);
  return { cluster, w, between };
}
