// The client of the REST interface: addresses, bodies, errors, and repeated questions.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem, addressOf, makeClient, messageOf } from "../../src/anchorpbo/app/web/static/client.js";

const reply = (body, status = 200, type = "application/json") => new Response(
  status === 204 ? null : type.includes("json") ? JSON.stringify(body) : body, { status, headers: { "content-type": type } });

// A client whose requests are recorded and answered in turn; an Error is a network that is down.
function clientOf(...replies) {
  const sent = [], pauses = [];
  const send = async (address, options) => {
    sent.push([address, options]);
    const next = replies.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  return { sent, pauses, ...makeClient({ id: "a b", send, pause: async (ms) => { pauses.push(ms); } }) };
}

test("an address has its names filled in and escaped", () => {
  assert.equal(addressOf("/studies/{id}/map", { id: "a/b c" }), "/api/studies/a%2Fb%20c/map");
});

test("a query leaves out what is undefined or null, and keeps false, 0 and empty texts", () => {
  assert.equal(addressOf("/x", {}, { a: undefined, b: null, c: 0, d: false, e: "", f: "ä &" }), "/api/x?c=0&d=false&e=&f=%C3%A4+%26");
});

test("an address without a value for a name is an error", () => {
  assert.throws(() => addressOf("/examples/{key}", { id: "1" }), /\/examples\/\{key\} needs a value of key/);
});

test("get asks about the study of the page, by default", async () => {
  const { get, sent } = clientOf(reply({ id: "1" }));
  assert.deepEqual(await get("/studies/{id}", {}), { id: "1" });
  const [address, { method, body }] = sent[0];
  assert.deepEqual([address, method, body], ["/api/studies/a%20b", "GET", undefined]);
});

test("another study can be named", async () => {
  const { patch, sent } = clientOf(reply({}));
  await patch("/studies/{id}", { archived: true }, { path: { id: "other" } });
  const [address, { method, body, headers }] = sent[0];
  assert.deepEqual([address, method, body], ["/api/studies/other", "PATCH", '{"archived":true}']);
  assert.deepEqual(headers, { "Content-Type": "application/json" });
});

test("post without a body sends an empty object", async () => {
  const { post, sent } = clientOf(reply({}));
  await post("/examples/{key}", undefined, { path: { key: "tea" } });
  assert.equal(sent[0][0], "/api/examples/tea");
  assert.equal(sent[0][1].body, "{}");
});

test("a file is put under its name as it is, once", async () => {
  const { put, sent, pauses } = clientOf(reply({ name: "a b.wav" }), reply({ detail: "busy" }, 503));
  const file = new Blob(["RIFF"]);
  assert.deepEqual(await put("/studies/{id}/clips/{name}", file, { path: { name: "a b/ä.wav" } }), { name: "a b.wav" });
  const [address, { method, body, headers }] = sent[0];
  assert.deepEqual([address, method], ["/api/studies/a%20b/clips/a%20b%2F%C3%A4.wav", "PUT"]);
  assert.equal(body, file);
  assert.deepEqual(headers, { "Content-Type": "application/octet-stream" });
  await assert.rejects(put("/studies/{id}/clips/{name}", file, { path: { name: "a.wav" } }), (error) => error instanceof Problem && error.status === 503);
  assert.deepEqual([sent.length, pauses], [2, []]);
});

test("an upload is sent as it is, as CSV or another type", async () => {
  const { upload, sent } = clientOf(reply({}), reply({}));
  await upload("/studies/{id}/comparisons", "winner,loser\n", { query: { participant: "Ana" } });
  await upload("/studies/import", '{"a": 1.0}', { type: "application/json" });
  assert.deepEqual(sent.map(([address, { body, headers }]) => [address, body, headers["Content-Type"]]), [
    ["/api/studies/a%20b/comparisons?participant=Ana", "winner,loser\n", "text/csv"],
    ["/api/studies/import", '{"a": 1.0}', "application/json"],
  ]);
});

test("a reply without content is null", async () => {
  const { remove } = clientOf(reply(null, 204));
  assert.equal(await remove("/studies/{id}"), null);
});

test("an error carries the server's message, its code, its field and its value", async () => {
  const { post } = clientOf(reply({ detail: "no such key.", code: "unknown_name", field: "options.x", value: "x" }, 422, "application/problem+json"));
  await assert.rejects(post("/studies/check", { name: "A", space: {} }), (error) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual([error.status, error.message, error.code, error.field, error.value], [422, "no such key.", "unknown_name", "options.x", "x"]);
    assert.equal(messageOf(error), "No such key.");
    assert.equal(error.isAway, false);
    return true;
  });
});

test("an error that is not JSON has its text", async () => {
  const { get } = clientOf(reply("Bad gateway", 502, "text/plain"));
  await assert.rejects(get("/studies/{id}"), { status: 502, message: "Bad gateway", isAway: true });
});

test("a network that is down is a problem of status 0", async () => {
  const { post, pauses } = clientOf(new TypeError("Failed to fetch"));
  await assert.rejects(post("/studies/{id}/ask", {}), { status: 0, isAway: true, message: /does not answer/ });
  assert.deepEqual(pauses, []);
});

test("a reply that breaks off, or is not from the server, is a problem of status 0", async () => {
  const type = "application/json";
  const broken = new Response(new ReadableStream({ start: (body) => body.error(new TypeError("network error")) }), { headers: { "content-type": type } });
  for (const found of [broken, new Response('{"event": 5, "du', { headers: { "content-type": type } }), reply("<h1>Sign in to this network</h1>", 200, "text/html")]) {
    await assert.rejects(clientOf(found).post("/studies/{id}/ask", {}), (error) => error instanceof Problem && error.status === 0 && error.isAway);
  }
});

test("a question to a busy server is asked four times, 400 ms apart", async () => {
  const busy = () => reply({ detail: "busy" }, 503);
  const patient = clientOf(busy(), busy(), busy(), reply([1]));
  assert.deepEqual(await patient.get("/studies/{id}/convergence"), [1]);
  assert.deepEqual(patient.pauses, [400, 400, 400]);
  const unlucky = clientOf(busy(), busy(), busy(), busy(), reply([1]));
  await assert.rejects(unlucky.get("/studies/{id}/convergence"), { status: 503 });
  assert.equal(unlucky.sent.length, 4);
});

test("a change is not repeated when the server is busy", async () => {
  const { post, sent } = clientOf(reply({ detail: "busy" }, 503), reply({}));
  await assert.rejects(post("/studies/{id}/undo", {}), { status: 503 });
  assert.equal(sent.length, 1);
});

test("what is no error has a message, too", () => {
  assert.equal(messageOf(new Error("Odd")), "Odd");
  assert.equal(messageOf("text"), "Something went wrong.");
  assert.equal(messageOf(new Error("")), "Something went wrong.");
});
