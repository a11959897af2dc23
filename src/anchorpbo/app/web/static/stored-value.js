// A value in the browser's storage, as JSON. If the storage is full or blocked, nothing is stored.

export class StoredValue {
  #key;
  #storage;

  /**
   * @param {string} key
   * @param {() => Storage} storage to have it may throw
   */
  constructor(key, storage) {
    this.#key = key;
    this.#storage = storage;
  }

  /**
   * The value; null if there is none.
   * @returns {any}
   */
  read() {
    try {
      return JSON.parse(this.#storage().getItem(this.#key) ?? "null");
    } catch {
      return null;
    }
  }

  /**
   * Store a value, or remove it by null; return whether that succeeded.
   * @param {unknown} value
   */
  write(value) {
    try {
      if (value === null) this.#storage().removeItem(this.#key);
      else this.#storage().setItem(this.#key, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }
}
