// cases.mjs - what is measured, one row each. See README.md for how to add one.
//
//   name      what the table calls it
//   store     "sqlite" or "postgresql"
//   prepare   (world) → anything; called once before the first request, to fill the store.
//             world.run(args, input) runs a subcommand on the store, world.ask(request) asks the service
//   request   what is asked: { method, path, headers, body }, an array of them to take turns, or a
//             function that makes either from what prepare returned
//   status    what must be answered
//   floor     the ratio to nginx that is promised, if there is a promise

export const cases = [
  { name: "GET /healthz", store: "sqlite", request: { path: "/healthz" }, status: 200 },
  { name: "GET / (page)", store: "sqlite", request: { path: "/", headers: { Accept: "text/html" } }, status: 200 },
  { name: "GET /assets/style.css", store: "sqlite", request: { path: "/assets/style.css" }, status: 200 },
  { name: "GET /v1/nothing (404)", store: "sqlite", request: { path: "/v1/nothing" }, status: 404 },
  { name: "GET /readyz", store: "postgresql", request: { path: "/readyz" }, status: 200 },
];
