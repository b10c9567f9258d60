// Assertions that apply to every response.

import assert from "node:assert/strict";

export const NAMES = {
  400: "invalid_request",
  401: "invalid_token",
  403: "access_denied",
  404: "not_found",
  405: "method_not_allowed",
  413: "payload_too_large",
  414: "uri_too_long",
  415: "unsupported_media_type",
  417: "expectation_failed",
  429: "rate_limited",
  431: "request_header_fields_too_large",
  503: "temporarily_unavailable",
};

// Headers of every response.
export function assertCommon(answer) {
  assert.match(answer.headers["x-request-id"] ?? "", /^[A-Za-z0-9_-]{8,64}$/, "X-Request-Id");
  assert.equal(answer.headers["x-content-type-options"], "nosniff");
  assert.equal(answer.headers.server, undefined, "the server does not say what it is");
}

// An error in the standard format.
export function assertError(answer, status, error = NAMES[status]) {
  assert.equal(answer.status, status, answer.text);
  assertCommon(answer);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json(; charset=utf-8)?$/);
  const data = answer.data ?? JSON.parse(answer.text);
  assert.equal(data.error, error);
  assert.equal(typeof data.error_description, "string");
  assert.ok(data.error_description.length > 5, data.error_description);
  for (const key of Object.keys(data)) assert.ok(["error", "error_description", "details"].includes(key), key);
  assertNothingInside(data.error_description);
  if (status === 503 || status === 429) assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
  if (status === 405) assert.match(answer.headers.allow ?? "", /^[A-Z]+(, [A-Z]+)*$/);
  assert.match(answer.headers["cache-control"] ?? "", /no-store/);
}

// The store is unavailable: 503 with Retry-After. A form endpoint always responds with a page.
export function assertUnavailable(answer) {
  if (!/^text\/html/.test(answer.headers["content-type"])) return assertError(answer, 503);
  assertPage(answer, 503);
  assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
  assertNothingInside(answer.text);
}

// No internals: no SQL, no path, no source line.
export function assertNothingInside(text) {
  assert.doesNotMatch(text, /SELECT |INSERT |UPDATE |sqlite|postgres|\/tmp\/|\/dev\/shm\/|\/src\/|\.c:\d|0x[0-9a-f]{6}/i);
}

// An HTML page, including error pages.
export function assertPage(answer, status = 200) {
  assert.equal(answer.status, status, answer.text);
  assertCommon(answer);
  const { headers } = answer;
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  const policy = Object.fromEntries(
    (headers["content-security-policy"] ?? "").split(";").map((rule) => {
      const [name, ...values] = rule.trim().split(/\s+/);
      return [name, values.join(" ")];
    }),
  );
  assert.equal(policy["default-src"], "'none'");
  assert.equal(policy["frame-ancestors"], "'none'");
  assert.match(policy["form-action"] ?? "", /^'(self|none)'/);
  assert.equal(policy["base-uri"], "'none'");
  assert.doesNotMatch(headers["content-security-policy"], /unsafe|\*|https?:/);
  assert.equal(headers["x-frame-options"], "DENY");
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.match(headers["cache-control"] ?? "", /no-store/);
  assert.equal(headers["access-control-allow-origin"], undefined);
  assert.match(answer.text, /^<!doctype html>/i);
  assert.match(headers["content-language"], /^(en|de)$/);
  assert.equal(/<html[^>]* lang="(\w+)"/.exec(answer.text)?.[1], headers["content-language"]);
  assert.match(answer.text, /<title>[^<]+<\/title>/);
  // No inline scripts or styles, nothing from other origins.
  assert.doesNotMatch(answer.text, /<script(?![^>]*\ssrc="\/assets\/)|<style|\sstyle="|\son[a-z]+="/i);
  assert.doesNotMatch(answer.text, /\s(src|href|action)="(https?:)?\/\//i);
}
