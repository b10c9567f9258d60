// A proxy between a service and PostgreSQL, which loses commits, delays statements, or loses everything.

import assert from "node:assert/strict";
import net from "node:net";
import { Cluster, databaseAddress } from "./pg.mjs";
import { world } from "./world.mjs";

// Changes the times in results: a column of 16 digits, in microseconds.
function ahead(bytes, seconds) {
  const later = (column, digits) => `\0\0\0\x10${BigInt(digits) + BigInt(seconds) * 1_000_000n}`;
  return Buffer.from(bytes.toString("latin1").replaceAll(/\0\0\0\x10(\d{16})/g, later), "latin1");
}

// `onCommit` decides once what happens to the next COMMIT, or, with `onCommitOf`, to that of the next transaction
// that runs a statement with this name. `delayMs` is how long everything that the service sends waits on its way
// to the database. While `isCut` is true, connections are closed. While `swallows` is true, nothing passes in either
// direction, and new connections get no answer: the network between them is partitioned. `accepted` counts connections.
// `clockAhead` is by how many seconds the database's clock seems to be ahead.
export async function proxy(t, port) {
  const sockets = new Set();
  const between = { onCommit: null, onCommitOf: null, delayMs: 0, isCut: false, swallows: false, accepted: 0, clockAhead: 0 };
  const server = net.createServer((client) => {
    between.accepted++;
    if (between.isCut) return client.destroy();
    const upstream = net.connect(port, "127.0.0.1");
    let sent = ""; // since the last transaction
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // A partition hides that the other side closed its connection.
      socket.on("error", () => {}).on("close", () => between.swallows || (client.destroy(), upstream.destroy()));
    }
    client.on("data", (bytes) => {
      if (between.isCut) return client.destroy();
      if (between.swallows) return;
      const decide = between.onCommit;
      sent += bytes.toString("latin1");
      const isWanted = between.onCommitOf === null || ["", "_many"].some((end) => sent.includes(`\0${between.onCommitOf}${end}\0`));
      if (/COMMIT|ROLLBACK/.test(sent.slice(-40))) sent = "";
      if (decide === null || !isWanted || !bytes.includes("COMMIT"))
        return between.delayMs === 0 ? upstream.write(bytes) : setTimeout(() => upstream.writable && upstream.write(bytes), between.delayMs);
      between.onCommit = between.onCommitOf = null;
      return decide({ client, upstream, bytes });
    });
    upstream.on("data", (bytes) => between.swallows || client.write(between.clockAhead === 0 ? bytes : ahead(bytes, between.clockAhead)));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  server.unref(); // a test that fails may not come to its end
  t.after(() => (sockets.forEach((socket) => socket.destroy()), server.close()));
  between.port = server.address().port;
  return between;
}

// A service whose connections to a cluster of its own lead through the proxy, with the user "first".
export async function behindProxy(t, settings) {
  const cluster = await Cluster.start({ durable: true });
  t.after(() => cluster.end());
  const w = await world(t, { cluster, start: false });
  const between = await proxy(t, cluster.port);
  w.address = databaseAddress(between.port, w.database);
  await w.start(settings);
  assert.equal((await w.signUp({ username: "first" })).status, 303);
  return { cluster, w, between };
}
