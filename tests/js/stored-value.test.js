// A value in the browser's storage, and storage that is blocked, full or damaged.

import assert from "node:assert/strict";
import { test } from "node:test";

import { StoredValue } from "../../src/anchorpbo/app/web/static/stored-value.js";

function storage() {
  const items = new Map();
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, text) => { items.set(key, text); },
    removeItem: (key) => { items.delete(key); },
  };
}

test("a value is read as it was written, until it is removed", () => {
  const place = storage();
  const value = new StoredValue("a", () => place);
  assert.equal(value.read(), null);
  assert.equal(value.write({ outcome: "first", response_ms: 900 }), true);
  assert.deepEqual(new StoredValue("a", () => place).read(), { outcome: "first", response_ms: 900 });
  assert.equal(new StoredValue("b", () => place).read(), null);
  assert.equal(value.write(null), true);
  assert.equal(place.items.size, 0);
});

test("what is not JSON is no value", () => {
  const place = storage();
  place.setItem("a", '{"outcome');
  assert.equal(new StoredValue("a", () => place).read(), null);
});

test("storage that is full or blocked stores nothing", () => {
  const full = { ...storage(), setItem: () => { throw new Error("QuotaExceededError"); } };
  const blocked = () => { throw new Error("SecurityError"); };
  for (const place of [() => full, blocked]) {
    const value = new StoredValue("a", place);
    assert.equal(value.write({}), false);
    assert.equal(value.read(), null);
  }
});
