// Pictures of a catalogue: image files, scaled down to the size of a card and kept until the study is created.

const LONGEST = 800; // pixels of a side
const IMAGE = /\.(png|jpe?g|gif|webp|svg|bmp|tiff?|avif|heic)$/i;
/** @type {Map<string, string>} */
const pictures = new Map(); // name of a file -> data URL

/** @param {File} file */
export const isPicture = (file) => file.type.startsWith("image/") || IMAGE.test(file.name);
/** @param {unknown} name */
export const hasPicture = (name) => pictures.has(String(name));
/** @param {unknown} name */
export const pictureOf = (name) => pictures.get(String(name));
export const count = () => pictures.size;

/**
 * The pictures that exist among these names, for the server.
 * @param {unknown[]} names
 */
export function picturesOf(names) {
  return Object.fromEntries(names.map(String).filter(hasPicture).map((name) => [name, pictures.get(name)]));
}

/**
 * Keep a file; false if the browser cannot draw it or it is SVG, which only a column can contain.
 * @param {File} file
 */
export async function addPicture(file) {
  if (/svg/i.test(file.type) || /\.svg$/i.test(file.name)) return false;
  try {
    pictures.set(file.name, small(await createImageBitmap(file)));
    return true;
  } catch {
    return false;
  }
}

/** @param {ImageBitmap} bitmap */
function small(bitmap) {
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(scale * bitmap.width));
  canvas.height = Math.max(1, Math.round(scale * bitmap.height));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser cannot draw on a canvas");
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const address = canvas.toDataURL("image/webp", 0.85);
  if (address.startsWith("data:image/webp")) return address;
  // For browsers without WebP encoding; JPEG has no transparency, so the background is white.
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/jpeg", 0.85);
}
