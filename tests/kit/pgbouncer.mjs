// PgBouncer between the service and PostgreSQL.

import fs from "node:fs";
import path from "node:path";
import { Cluster, databaseAddress, freePort, PG_PASSWORD, psql } from "./pg.mjs";
import { Program } from "./process.mjs";
import { until } from "./until.mjs";
import { world } from "./world.mjs";

// A world with a database of its own that is reached through PgBouncer in this mode, with so many connections.
export async function behindPgBouncer(t, { mode, size, within = 120 }) {
  const cluster = await Cluster.start({});
  t.after(() => cluster.end());
  const w = await world(t, { cluster, start: false });
  const port = await freePort();
  const file = path.join(cluster.dir, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=127.0.0.1 port=${cluster.port} user=penchant password=${PG_PASSWORD}`,
    "[pgbouncer]",
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir = ${cluster.dir}\nauth_type = any`,
    `pool_mode = ${mode}\ndefault_pool_size = ${size}\nmax_client_conn = 200\nquery_wait_timeout = ${within}`,
  ];
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  const pooler = new Program("/usr/sbin/pgbouncer", [file], cluster.options());
  t.after(() => (pooler.signal("SIGKILL"), pooler.exit()));
  const address = databaseAddress(port, w.database);
  await until("PgBouncer", () => psql(address, "SELECT 1").catch(() => false));
  w.address = address;
  return { cluster, w };
}
