// Malformed HTTP. A rejection by the library itself may have any form, but must not be a response to a request
// that was not sent, and the service must keep running.

import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../kit/until.mjs";
import { world } from "../kit/world.mjs";

const END = "Host: h\r\n\r\n";
const FORM = "Host: h\r\nContent-Type: application/x-www-form-urlencoded\r\n";
const refused = (answer) => answer === null || (answer.status >= 400 && answer.status <= 505);

// Each is sent on a connection of its own; then the service must still answer others.
const BROKEN = [
  ["a request line of garbage", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 nonsense\r\n\r\n"],
  ["a TLS hello on the plain port", Buffer.from("160301007b0100007703030102030405060708", "hex").toString("latin1") + "\r\n\r\n"],
  ["the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["HTTP/0.9", "GET /healthz\r\n\r\n"],
  ["a version that does not exist", `GET /healthz HTTP/9.9\r\n${END}`],
  ["two Hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
  ["no Host", "GET /healthz HTTP/1.1\r\n\r\n"],
  ["a Host with user info", "GET /healthz HTTP/1.1\r\nHost: user@h\r\n\r\n"],
  ["two lengths", `POST /signup HTTP/1.1\r\n${FORM}Content-Length: 3\r\nContent-Length: 30\r\n\r\na=b`],
  ["a length and chunks", `POST /signup HTTP/1.1\r\n${FORM}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n`],
  ["a negative length", `POST /signup HTTP/1.1\r\n${FORM}Content-Length: -1\r\n\r\n`],
  ["a length with a plus", `POST /signup HTTP/1.1\r\n${FORM}Content-Length: +3\r\n\r\na=b`],
  ["a length past 64 bits", `POST /signup HTTP/1.1\r\n${FORM}Content-Length: 99999999999999999999999\r\n\r\n`],
  ["a length in words", `POST /signup HTTP/1.1\r\n${FORM}Content-Length: three\r\n\r\n`],
  ["a coding that is almost chunked", `POST /signup HTTP/1.1\r\n${FORM}Transfer-Encoding: xchunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n`],
  ["chunked and something behind it", `POST /signup HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked, identity\r\n\r\n3\r\na=b\r\n0\r\n\r\n`],
  ["chunked twice", `POST /signup HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n`],
  ["chunks in HTTP/1.0", `POST /signup HTTP/1.0\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n`],
  ["a chunk size of 17 digits", `POST /signup HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\na\r\n0\r\n\r\n`],
  ["a chunk size with 0x", `POST /signup HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n0x3\r\na=b\r\n0\r\n\r\n`],
  ["a negative chunk size", `POST /signup HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n-3\r\na=b\r\n0\r\n\r\n`],
  ["a chunk without its line end", `POST /signup HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n3\r\na=bXX0\r\n\r\n`],
  ["a blank before the colon", `GET /healthz HTTP/1.1\r\nHost : h\r\n\r\n`],
  ["a header folded over two lines", `GET /healthz HTTP/1.1\r\nX-A: one\r\n two\r\n${END}`],
  ["a blank before the first header", `GET /healthz HTTP/1.1\r\n X-A: one\r\n${END}`],
  ["a header without a name", `GET /healthz HTTP/1.1\r\n: value\r\n${END}`],
  ["a header without a colon", `GET /healthz HTTP/1.1\r\nnonsense\r\n${END}`],
  ["a NUL in a header's name", `GET /healthz HTTP/1.1\r\nX-\0A: one\r\n${END}`],
  ["a NUL in a header's value", `GET /healthz HTTP/1.1\r\nX-A: o\0ne\r\n${END}`],
  ["bytes past ASCII in a header's name", `GET /healthz HTTP/1.1\r\nX-\xc3\xa9: one\r\n${END}`],
  ["a lone CR in a header's value", `GET /healthz HTTP/1.1\r\nX-A: o\rne\r\n${END}`],
  ["a NUL in the target", `GET /heal\0thz HTTP/1.1\r\n${END}`],
  ["bytes past ASCII in the target", `GET /\xff\xfe HTTP/1.1\r\n${END}`],
  ["CONNECT", `CONNECT evil.example:443 HTTP/1.1\r\n${END}`],
  ["an unknown expectation", `POST /signup HTTP/1.1\r\n${FORM}Content-Length: 3\r\nExpect: a-miracle\r\n\r\na=b`],
];

test("every kind of broken request is rejected or dropped, and the service continues", async (t) => {
  const w = await world(t);
  for (const [why, bytes] of BROKEN) {
    const answer = await w.raw(bytes);
    assert.ok(refused(answer), `${why}: ${answer?.status}`);
    assert.notEqual(answer?.status, 500, why);
    assert.equal((await w.get("/healthz")).status, 200, `after ${why}`);
  }
  assert.deepEqual(await w.users(), []);
});

test("request targets in absolute form are handled like their paths", async (t) => {
  const w = await world(t);
  const absolute = await w.raw("GET http://evil.example/healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  assert.ok([200, 400, 404].includes(absolute.status));
  assert.doesNotMatch(absolute.text, /evil/);
  const star = await w.raw("OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  assert.ok([200, 204, 400, 404].includes(star.status), `${star.status}`);
  const starred = await w.raw("GET * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  assert.ok([400, 404].includes(starred.status), `${starred.status}`);
  const doubled = await w.raw("GET //evil.example/signup HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  assert.equal(doubled.status, 404);
});

test("an empty or incomplete request may be closed without a response", async (t) => {
  const w = await world(t);
  for (const bytes of ["", "G", "GET /heal", "GET /healthz HTTP/1.1\r\nHo"]) {
    const connection = await w.connect();
    if (bytes) connection.send(bytes);
    connection.end();
    await connection.untilClosed();
  }
  assert.equal((await w.get("/healthz")).status, 200);
});

test("a thousand pipelined requests get responses in order", async (t) => {
  const w = await world(t);
  const connection = await w.connect();
  const asked = Array.from({ length: 1000 }, (_, i) => (i % 2 ? "/healthz" : "/nothing"));
  connection.send(asked.map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`).join(""));
  for (const path of asked) assert.equal((await connection.answer()).status, path === "/healthz" ? 200 : 404);
});

test("bytes after a rejected request on the same connection are never read as part of it", async (t) => {
  const w = await world(t);
  const connection = await w.connect();
  connection.send(`POST /signup HTTP/1.1\r\n${FORM}Content-Length: 200000\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n`);
  assert.equal((await connection.answer()).status, 413);
  await connection.untilClosed();
  assert.equal(connection.bytes.length, 0);
  await w.service.logged("the refused request", (line) => line.path === "/signup");
  assert.ok(!w.service.err.includes("/smuggled"));
});

test("Expect: 100-continue gets 100 if the route accepts the body, and an error otherwise", async (t) => {
  const w = await world(t);
  const welcome = await w.connect();
  const body = "username=&password=";
  welcome.send(`POST /signup HTTP/1.1\r\n${FORM}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`);
  await until("100 Continue", () => welcome.bytes.includes("100 "));
  welcome.send(body);
  assert.equal((await welcome.answer()).status, 400);
  const large = await w.connect();
  large.send(`POST /signup HTTP/1.1\r\n${FORM}Content-Length: 900000\r\nExpect: 100-continue\r\n\r\n`);
  assert.equal((await large.answer()).status, 413);
  assert.ok(!large.continued, "the client was asked to send what will be rejected");
});

test("clients that disconnect at any stage leak nothing", async (t) => {
  const w = await world(t, { settings: { "metrics-listen": "127.0.0.1:0" } });
  const stages = [
    "", "GET", "GET /signup HTTP/1.1\r\nHost: h\r\n\r\n", `POST /signup HTTP/1.1\r\n${FORM}Content-Length: 90\r\n\r\nusername=a`,
    `POST /signup HTTP/1.1\r\n${FORM}Content-Length: 53\r\n\r\nusername=vanished&password=violet+kettle+sings+at+dawn`,
  ];
  for (let round = 0; round < 8; round++)
    await Promise.all(
      stages.map(async (bytes) => {
        const connection = await w.connect();
        if (bytes) await new Promise((sent) => connection.socket.write(Buffer.from(bytes, "latin1"), sent));
        round % 2 ? connection.abort() : connection.destroy();
      }),
    );
  // The library may miss an end that comes together with the last bytes; then the deadline sees it.
  w.deadlines.forward(30_000);
  await until("every connection to be forgotten", async () => {
    return (await w.metrics())['penchant_http_connections{listener="main"}'] === 0;
  });
  assert.equal((await w.get("/healthz")).status, 200);
});

// The rest of a body can only be dropped once the library reads it; the response comes at its end.
test("a chunked body over the limit gets its 413, however long it is", async (t) => {
  const w = await world(t);
  for (const size of [200_000, 300_000, 5_000_000]) {
    const chunk = `1000\r\n${"a".repeat(4096)}\r\n`;
    const connection = await w.connect();
    connection.send(`POST /signup HTTP/1.1\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(Math.ceil(size / 4096))}0\r\n\r\n`);
    const answer = await connection.answer();
    assert.equal(answer.status, 413, `${size} bytes`);
    await until("its end", () => connection.closed);
  }
});

test("a long target while signed out gets a response, as short ones do", async (t) => {
  const w = await world(t);
  const asked = (query) => w.raw(`GET /account?q=${query} HTTP/1.1\r\n${END.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")}`);
  const near = await asked("a".repeat(5000));
  assert.equal(near.status, 303);
  assert.match(near.headers.location, /^\/signin\?next=%2Faccount%3Fq%3Da{5000}$/);
  const far = await asked("!".repeat(8000));
  assert.equal(far.status, 414);
  assert.match(far.text, /too long to return to after signing in/);
  const past = await asked("a".repeat(9000));
  assert.equal(past.status, 414);
});

// Only a part is sent, so that the response cannot be one to the whole request. On PostgreSQL a worker identifies the
// sender while the body arrives, and the response comes at its end.
test("the sender of a large body is identified before it is read", async (t) => {
  const w = await world(t);
  const sent = process.env.STORE === "postgres" ? 1_000_000 : 20_000;
  const answer = await w.raw(`POST /account/data/import HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n${"a".repeat(sent)}`);
  assert.equal(answer.status, 303);
  assert.match(answer.headers.location, /^\/signin/);
});
