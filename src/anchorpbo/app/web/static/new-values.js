// Parse typed text into numbers and lists.

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** @param {string} text */
export const isNumber = (text) => NUMBER.test(text.trim()) && Number.isFinite(Number(text));

/**
 * A number, the text itself if it is not one (the server reports the error), or null if empty.
 * @param {string} text
 */
export function number(text) {
  const trimmed = text.trim();
  if (!trimmed) return null;
  return isNumber(trimmed) ? Number(trimmed) : trimmed;
}

/**
 * Split "a, b, "c, d"" into three texts, or numbers if all of them are.
 * @param {string} text
 */
export function list(text) {
  const parts = [];
  for (const found of text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,\n]*))\s*(?:,|\n|$)/g)) {
    const part = found[1] === undefined ? found[2].trim() : found[1].replaceAll('""', '"');
    if (part) parts.push(part);
  }
  return parts.length && parts.every(isNumber) ? parts.map(Number) : parts;
}

/** @param {string} text */
export const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
