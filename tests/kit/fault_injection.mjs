// Controls the fault injection build from a test: stops its clock, moves its deadlines, makes its n-th
// store call fail, and makes password hashing cheap and a start short. The program maps the file, seven 64-bit
// numbers (src/base/fault_injection.h).

import fs from "node:fs";

const NOW = 0;
const FORWARD = 1;
const LEFT = 2;
const CALLS = 3;
const CHEAP_HASHING = 4;
const SKEW = 5;
const LAZY_PREPARING = 6;

export class FaultInjection {
  constructor(path) {
    this.path = path;
    this.fd = fs.openSync(path, "w+", 0o600);
    for (const field of [NOW, FORWARD, LEFT, CALLS, CHEAP_HASHING, SKEW, LAZY_PREPARING]) this.write(field, field === LEFT ? -1 : 0);
  }

  close() {
    fs.closeSync(this.fd);
  }

  write(field, value) {
    const bytes = Buffer.from(BigInt64Array.of(BigInt(value)).buffer);
    fs.writeSync(this.fd, bytes, 0, 8, field * 8);
  }

  read(field) {
    const bytes = new BigInt64Array(1);
    fs.readSync(this.fd, bytes, 0, 8, field * 8);
    return Number(bytes[0]);
  }

  get now() {
    return this.read(NOW) || Math.floor(Date.now() / 1000);
  }

  stopClock(at) {
    this.write(NOW, at);
  }

  forwardDeadlines(ms) {
    this.write(FORWARD, this.read(FORWARD) + ms);
  }

  // The clock of the machine is wrong by so many seconds.
  skewClock(seconds) {
    this.write(SKEW, seconds * 1000); // in milliseconds
  }

  hashCheaply() {
    this.write(CHEAP_HASHING, 1);
  }

  // A service prepares each statement when it first runs it, instead of all at startup.
  prepareLazily() {
    this.write(LAZY_PREPARING, 1);
  }

  // n = 1 is the next call.
  failNthStoreCall(n) {
    this.write(LEFT, n - 1);
  }

  failNone() {
    this.write(LEFT, -1);
  }

  // Whether the requested failure has happened.
  get failed() {
    return this.read(LEFT) < 0;
  }

  get storeCalls() {
    return this.read(CALLS);
  }
}
